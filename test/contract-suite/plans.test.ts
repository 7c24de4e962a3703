/** Relations of lists in replacements, of states that take two steps, of validators after actions, and of equal items in a batch. */
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour, Call } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const tiers = {
  ...t.list(t.object({ up_to: t.number(1, 9000), cents: t.number(0, 900) }), { minItems: 1, maxItems: 5 }),
  example: [
    { up_to: 10, cents: 500 },
    { up_to: 100, cents: 400 },
    { up_to: 1000, cents: 300 },
  ],
};
const newPlan = t.object({ name: t.text(60), tiers });
const plan = t.object({ id: t.string, name: t.string, tiers });
const subscription = t.versioned(
  t.object({ id: t.string, plan_id: t.string, status: t.oneOf('requested', 'approved', 'running') }),
);
const charge = t.object({ id: t.string, cents: t.count });
const taken = { 409: 'Another plan has the name' };

const api = describedApi(
  {
    'GET /plans': ['listPlans', { 200: t.list(plan) }],
    'POST /plans': ['addPlan', { sent: newPlan, 201: plan, ...taken }],
    'POST /plans/batch': [
      'addPlans',
      { sent: t.object({ plans: t.list(newPlan, { minItems: 1, maxItems: 50 }) }), 201: t.list(plan), ...taken },
    ],
    'GET /plans/{plan_id}': ['getPlan', { 200: plan }],
    'PUT /plans/{plan_id}': ['replacePlan', { sent: newPlan, 200: plan, ...taken }],
    'POST /subscriptions': [
      'addSubscription',
      { sent: t.object({ plan_id: t.string }), 201: subscription, 422: 'The plan does not exist' },
    ],
    'GET /subscriptions/{subscription_id}': ['getSubscription', { 200: subscription }],
    'POST /subscriptions/{subscription_id}/approve': [
      'approveSubscription',
      { 200: subscription, 409: 'The subscription is not requested' },
    ],
    'POST /subscriptions/{subscription_id}/start': [
      'startSubscription',
      { 200: subscription, 409: 'The subscription is not approved' },
    ],
    'GET /subscriptions/{subscription_id}/charges': ['listCharges', { 200: t.list(charge) }],
    'POST /subscriptions/{subscription_id}/charges': [
      'addCharge',
      { sent: t.object({ cents: t.number(1, 100_000) }), 201: charge, 409: 'The subscription is not running' },
    ],
  },
  { title: 'Plans', ids: { plan_id: t.identifier('pln'), subscription_id: t.identifier('sub') } },
);

type Tier = { up_to: number; cents: number };
type Plan = { name: string; tiers: Tier[] };
type Fields = Plan & { id: string; plans: Plan[]; plan_id: string; status: string; cents: number };

/** How a server does what the mutants do otherwise. */
const right = {
  replaced: (_before: Tier[], sent: Tier[]) => sent,
  comparesInBatch: true,
  etagOf: ({ id, status }: Fields) => `"${id}-${status}"`,
  charged: (cents: number) => cents,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const move = ({ item }: Call<Fields>, from: string, to: string) =>
    item.status === from ? Object.assign(item, { status: to }) : 409;

  return {
    kinds: {
      plans: {
        refused: ({ name }, { all }, item) =>
          all('plans').some((each) => each !== item && each.name === name) ? 409 : undefined,
      },
      subscriptions: {
        etag: ways.etagOf,
        initial: () => ({ status: 'requested' }),
        refused: ({ plan_id: id }, { find }) => (find('plans', id) ? undefined : 422),
      },
      charges: {},
    },
    acts: {
      addPlans({ sent: { plans }, refusal, create }) {
        const isTwin = ({ name }: Plan, at: number) => plans.findIndex((each) => each.name === name) < at;
        if (ways.comparesInBatch && plans.some(isTwin)) return 409;
        const refused = plans.map((each) => refusal('plans', each)).find((status) => status !== undefined);
        return refused ?? plans.map((each) => create('plans', each));
      },
      replacePlan({ item, fields, refusal }) {
        const tiersNow = ways.replaced(item.tiers, fields.tiers);
        return refusal('plans', fields, item) ?? Object.assign(item, fields, { tiers: tiersNow });
      },
      approveSubscription: (call) => move(call, 'requested', 'approved'),
      startSubscription: (call) => move(call, 'approved', 'running'),
      addCharge({ item, sent: { cents }, create, shown }) {
        if (item.status !== 'running') return 409;
        return [201, { ...shown(create('charges', { cents: ways.charged(cents) }, item)), cents }];
      },
    },
  };
}

testFaults(api, right, behaviour, [
  [
    'keeps tiers that a replacement leaves out',
    { replaced: (before, sent) => [...sent, ...before.slice(sent.length)] },
    ['replacePlan.replaced'],
  ],
  ['adds twins in a batch', { comparesInBatch: false }, ['addPlans.several']],
  [
    'has an ETag for all states',
    { etagOf: ({ id }) => `"${id}"` },
    ['approveSubscription.acted', 'startSubscription.acted'],
  ],
  ['charges another amount', { charged: (cents) => cents + 1 }, ['addCharge.created']],
]);
