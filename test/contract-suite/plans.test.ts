/** Relations of order, of what is in use or was removed, of states that take two steps, of validators after actions, and of equal items in a batch. */
import { test } from '@jest/globals';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';
import { apiIn } from '../unit/document/fixture.ts';

const run = eachRun();

const api = apiIn(`
/plans:
  get: { operationId: listPlans, responses: { 200: { $ref: '#/components/responses/Plans' } } }
  post:
    operationId: addPlan
    requestBody: { $ref: '#/components/requestBodies/Plan' }
    responses:
      201: { $ref: '#/components/responses/Plan' }
      409: { description: Another plan has the name }
      422: { description: Invalid }
/plans/batch:
  post:
    operationId: addPlans
    description: Creates several plans, all of them or none.
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [plans]
            properties: { plans: { type: array, minItems: 1, maxItems: 50, items: { $ref: '#/components/schemas/NewPlan' } } }
    responses:
      201: { $ref: '#/components/responses/Plans' }
      409: { description: Another plan has the name }
      422: { description: Invalid }
/plans/{plan_id}:
  parameters: [{ name: plan_id, in: path, required: true, schema: { type: string, pattern: '^pln_[0-9a-f]{8}$' } }]
  get: { operationId: getPlan, responses: { 200: { $ref: '#/components/responses/Plan' }, 404: { description: None } } }
  put:
    operationId: replacePlan
    requestBody: { $ref: '#/components/requestBodies/Plan' }
    responses:
      200: { $ref: '#/components/responses/Plan' }
      404: { description: None }
      409: { description: Another plan has the name }
      422: { description: Invalid }
  delete:
    operationId: removePlan
    responses: { 204: { description: Removed }, 404: { description: None }, 409: { description: A subscription still uses the plan } }
/subscriptions:
  get:
    operationId: listSubscriptions
    responses:
      200:
        description: They
        content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Subscription' } } } }
  post:
    operationId: addSubscription
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [plan_id]
            properties: { plan_id: { type: string, description: Must be a plan that exists and was not removed. } }
    responses: { 201: { $ref: '#/components/responses/Subscription' }, 422: { description: The plan does not exist } }
/subscriptions/{subscription_id}:
  parameters: [{ $ref: '#/components/parameters/Subscription' }]
  get:
    operationId: getSubscription
    responses: { 200: { $ref: '#/components/responses/Subscription' }, 404: { description: None } }
/subscriptions/{subscription_id}/approve:
  parameters: [{ $ref: '#/components/parameters/Subscription' }]
  post:
    operationId: approveSubscription
    responses:
      200: { $ref: '#/components/responses/Subscription' }
      404: { description: None }
      409: { description: The subscription is not requested }
/subscriptions/{subscription_id}/start:
  parameters: [{ $ref: '#/components/parameters/Subscription' }]
  post:
    operationId: startSubscription
    responses:
      200: { $ref: '#/components/responses/Subscription' }
      404: { description: None }
      409: { description: The subscription is not approved }
/subscriptions/{subscription_id}/charges:
  parameters: [{ $ref: '#/components/parameters/Subscription' }]
  get:
    operationId: listCharges
    responses:
      200:
        description: They
        content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Charge' } } } }
      404: { description: None }
  post:
    operationId: addCharge
    requestBody:
      required: true
      content:
        application/json:
          schema: { type: object, required: [cents], properties: { cents: { type: integer, minimum: 1, maximum: 100000 } } }
    responses:
      201: { description: Charged, content: { application/json: { schema: { $ref: '#/components/schemas/Charge' } } } }
      404: { description: None }
      409: { description: The subscription is not running }
      422: { description: Invalid }
components:
  parameters:
    Subscription: { name: subscription_id, in: path, required: true, schema: { type: string, pattern: '^sub_[0-9a-f]{8}$' } }
  requestBodies:
    Plan: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewPlan' } } } }
  responses:
    Plan: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Plan' } } } }
    Plans:
      description: They
      content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Plan' } } } }
    Subscription:
      description: It
      headers: { ETag: { schema: { type: string } } }
      content: { application/json: { schema: { $ref: '#/components/schemas/Subscription' } } }
  schemas:
    Tiers:
      type: array
      description: In ascending order of \`up_to\`.
      minItems: 1
      maxItems: 5
      items:
        type: object
        required: [up_to, cents]
        properties: { up_to: { type: integer, minimum: 1, maximum: 9000 }, cents: { type: integer, minimum: 0, maximum: 900 } }
      example: [{ up_to: 10, cents: 500 }, { up_to: 100, cents: 400 }, { up_to: 1000, cents: 300 }]
    NewPlan:
      type: object
      required: [name, tiers]
      properties: { name: { type: string, minLength: 1, maxLength: 60 }, tiers: { $ref: '#/components/schemas/Tiers' } }
    Plan:
      type: object
      required: [id, name, tiers]
      properties: { id: { type: string }, name: { type: string }, tiers: { $ref: '#/components/schemas/Tiers' } }
    Subscription:
      type: object
      required: [id, plan_id, status]
      properties: { id: { type: string }, plan_id: { type: string }, status: { type: string, enum: [requested, approved, running] } }
    Charge:
      type: object
      required: [id, cents]
      properties: { id: { type: string }, cents: { type: integer } }
`);

type Tier = { up_to: number; cents: number };
type Plan = { id: string; name: string; tiers: Tier[] };
type Subscription = { id: string; plan_id: string; status: string };
type Charge = { id: string; of: string; cents: number };
type Sent = Omit<Plan, 'id'> & Omit<Subscription, 'id'> & Omit<Charge, 'id'> & { plans: Omit<Plan, 'id'>[] };

/** How a server does what the mutants do otherwise. */
const right = {
  isArranged: (tiers: Tier[]) => tiers.every(({ up_to: to }, at) => to > (tiers[at - 1]?.up_to ?? 0)),
  replaced: (_before: Tier[], sent: Tier[]) => sent,
  comparesInBatch: true,
  isUsed: (plan: Plan, each: Subscription) => each.plan_id === plan.id,
  mayName: (isThere: boolean, _wasThere: boolean) => isThere,
  etagOf: ({ id, status }: Subscription) => `"${id}-${status}"`,
  charged: (cents: number) => cents,
};

function planServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const [plans, removed, charges]: [Plan[], string[], Charge[]] = [[], [], []];
  const subscriptions: Subscription[] = [];
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  const shown = (one: Subscription): Reply => [200, one, { ETag: ways.etagOf(one) }];
  const move = (one: Subscription, from: string, to: string): Reply =>
    one.status === from ? shown(Object.assign(one, { status: to })) : [409];
  const add = (all: Omit<Plan, 'id'>[], shownOf: (made: Plan[]) => unknown): Reply => {
    const others = ways.comparesInBatch ? [...plans, ...all] : plans;
    const isTaken = all.some((each) => others.some((other) => other !== each && other.name === each.name));
    if (isTaken || !all.every(({ tiers }) => ways.isArranged(tiers))) return [isTaken ? 409 : 422];
    const made = all.map((each) => ({ ...each, id: newId('pln') }));
    plans.push(...made);
    return [201, shownOf(made)];
  };

  const ofPlan: Record<string, (plan: Plan, sent: Sent) => Reply> = {
    getPlan: (plan) => [200, plan],
    replacePlan(plan, { name, tiers }) {
      const isTaken = plans.some((each) => each !== plan && each.name === name);
      if (isTaken || !ways.isArranged(tiers)) return [isTaken ? 409 : 422];
      return [200, Object.assign(plan, { name, tiers: ways.replaced(plan.tiers, tiers) })];
    },
    removePlan(plan) {
      if (subscriptions.some((each) => ways.isUsed(plan, each))) return [409];
      removed.push(...plans.splice(plans.indexOf(plan), 1).map(({ id }) => id));
      return [204];
    },
  };
  const ofSubscription: Record<string, (one: Subscription, sent: Sent) => Reply> = {
    getSubscription: shown,
    approveSubscription: (one) => move(one, 'requested', 'approved'),
    startSubscription: (one) => move(one, 'approved', 'running'),
    listCharges: ({ id }) => [200, charges.filter(({ of }) => of === id).map(({ of: _of, ...each }) => each)],
    addCharge({ id: of, status }, { cents }) {
      if (status !== 'running') return [409];
      const id = newId('chg');
      charges.push({ id, of, cents: ways.charged(cents) });
      return [201, { id, cents }];
    },
  };
  const ofAll: Record<string, (sent: Sent) => Reply> = {
    listPlans: () => [200, plans],
    addPlan: ({ name, tiers }) => add([{ name, tiers }], ([made]) => made),
    addPlans: ({ plans: all }) => add(all, (made) => made),
    listSubscriptions: () => [200, subscriptions],
    addSubscription({ plan_id: plan }) {
      const [isThere, wasThere] = [plans.some(({ id }) => id === plan), removed.includes(plan)];
      if (!ways.mayName(isThere, wasThere)) return [422];
      subscriptions.push({ id: newId('sub'), plan_id: plan, status: 'requested' });
      return [201, ...shown(subscriptions.at(-1) as Subscription).slice(1)] as unknown as Reply;
    },
  };

  return describedServer(api, ({ operationId, id, sent: given, faults: [fault] }) => {
    const sent = given as unknown as Sent;
    if (fault) return [fault.parameter ? 404 : 422];
    const [plan, one] = [plans.find((each) => each.id === id), subscriptions.find((each) => each.id === id)];
    const ofOne = plan ? ofPlan[operationId]?.(plan, sent) : one && ofSubscription[operationId]?.(one, sent);
    return ofOne ?? ofAll[operationId]?.(sent) ?? [404];
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['accepts tiers in any order', { isArranged: () => true }, ['addPlan.ordered']],
  [
    'keeps tiers that a replacement leaves out',
    { replaced: (before, sent) => [...sent, ...before.slice(sent.length)] },
    ['replacePlan.replaced'],
  ],
  ['adds twins in a batch', { comparesInBatch: false }, ['addPlans.several']],
  ['removes a plan that is used', { isUsed: () => false }, ['removePlan.removed']],
  [
    'subscribes to what was removed',
    { mayName: (isThere, wasThere) => isThere || wasThere },
    ['addSubscription.referring'],
  ],
  [
    'has an ETag for all states',
    { etagOf: ({ id }) => `"${id}"` },
    ['approveSubscription.acted', 'startSubscription.acted'],
  ],
  ['charges another amount', { charged: (cents) => cents + 1 }, ['addCharge.created']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(planServer(wrong)), api, failed);
});
