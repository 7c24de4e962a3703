/** APIs in the styles of well-known ones: forms and objects that go on after an identifier, names and metadata that identify, versions in bodies. */
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const form = (schema: object, more: object = {}) => ({ 'application/x-www-form-urlencoded': { schema, ...more } });
const metadata = { type: 'object', additionalProperties: t.string };
const customer = t.object({ id: t.string, name: t.nullable(t.string), metadata });
const charge = t.object({
  ...{ id: t.string, amount: t.count, customer_id: { anyOf: [t.nullable(t.string), customer] } },
  state: t.oneOf('authorised', 'captured'),
});
const newCharge = t.object({ amount: t.number(50, 9999), customer_id: t.said(t.string, 'An existing customer.') }, [
  'customer_id',
]);
const short = { ...t.string, maxLength: 40 };
const newCustomer = form(
  t.partial({ name: { ...short, example: 'Jo' }, metadata: { ...metadata, additionalProperties: short } }),
  { encoding: { metadata: { style: 'deepObject', explode: true } } },
);

const payments = describedApi(
  {
    'GET /customers': [
      'listCustomers',
      {
        parameters: [
          t.inQuery('limit', { ...t.number(1, 100), default: 10 }),
          t.inQuery('starting_after', t.string, { description: 'The id of a customer, after which the page begins.' }),
        ],
        200: t.partial({ data: t.list(customer), has_more: { type: 'boolean' } }),
      },
    ],
    'POST /customers': [
      'createCustomer',
      {
        parameters: [t.inQuery('requestId', { ...t.string, format: 'uuid' })],
        requestBody: { content: newCustomer },
        200: customer,
      },
    ],
    'GET /customers/{customer}': ['getCustomer', { 200: customer }],
    'POST /customers/{customer}': [
      'updateCustomer',
      {
        description: 'What is left out stays; `metadata` is merged.',
        requestBody: { content: newCustomer },
        200: customer,
      },
    ],
    'DELETE /customers/{customer}': ['deleteCustomer', { 200: 'Deleted' }],
    'POST /charges': [
      'createCharge',
      {
        requestBody: { required: true, content: form(newCharge, { example: { amount: 200, customer_id: 'cus_1' } }) },
        200: charge,
      },
    ],
    'GET /charges/{charge}': [
      'getCharge',
      { parameters: [t.inQuery('expand[]', t.list(t.oneOf('customer_id')))], 200: charge },
    ],
    'POST /charges/{charge}:capture': ['captureCharge', { 200: charge, 400: 'Captured' }],
  },
  { title: 'Payments', invalid: 400 },
);

type Customer = { id: string; name: string | null; metadata: Record<string, string> };
type Charge = { amount: number; customer_id: string | null; state: string };

/** How a server does what the mutants do otherwise. */
const rightPayments = {
  hasMore: (isCut: boolean) => isCut,
  merged: (old: object, sent: object): object => ({ ...old, ...sent }),
  repeats: true,
  captured: (charge: Charge): object => charge,
  expanded: (customer: Customer): unknown => customer,
};

function payment(ways: typeof rightPayments): Behaviour<Customer & Charge> {
  const made = new Map<string, Customer & Charge>();
  return {
    kinds: {
      customers: {
        initial: () => ({ name: null, metadata: {} }),
        listed(customers, { query }) {
          const from = customers.findIndex((each) => each.id === query.get('starting_after')) + 1;
          const end = from + Number(query.get('limit') ?? 10);
          return [200, { data: customers.slice(from, end), has_more: ways.hasMore(end < customers.length) }];
        },
      },
      charges: {
        initial: () => ({ customer_id: null, state: 'authorised' }),
        refused: ({ customer_id: of }, { find }) => (of && !find('customers', of) ? 400 : undefined),
        shown(each, { query, find }) {
          const of = query.has('expand[]') && find('customers', each.customer_id);
          return of ? { ...each, customer_id: ways.expanded(of) } : each;
        },
      },
    },
    acts: {
      createCustomer({ query, fields, create }) {
        const key = query.get('requestId');
        const known = ways.repeats && key !== null && made.get(key);
        if (known) return known;
        const customer = create('customers', fields);
        if (key !== null) made.set(key, customer);
        return customer;
      },
      updateCustomer({ item, fields }) {
        return Object.assign(item, fields, { metadata: ways.merged(item.metadata, fields.metadata) });
      },
      deleteCustomer({ item, remove }) {
        remove(item);
        return [200, { id: item.id, deleted: true }];
      },
      captureCharge({ item }) {
        if (item.state === 'captured') return 400;
        Object.assign(ways.captured(item), { state: 'captured' });
        return [200, { ...item, state: 'captured' }];
      },
    },
  };
}

testFaults(payments, rightPayments, payment, [
  ['forgets that there are more', { hasMore: () => false }, ['listCustomers.paged']],
  ['replaces metadata', { merged: (_old, sent) => sent }, ['updateCustomer.changed']],
  ['creates again', { repeats: false }, ['createCustomer.repeated-key']],
  ['captures a copy', { captured: (charge) => ({ ...charge }) }, ['captureCharge.acted']],
  ['expands nothing', { expanded: ({ id }) => id }, ['getCharge.expanded']],
]);

const app = t.object(
  {
    kind: t.oneOf('App'),
    metadata: t.object(
      {
        ...{ name: { ...t.string, pattern: '^[a-z0-9]{1,20}$' }, uid: t.readOnly(t.string) },
        resourceVersion: { ...t.string, maxLength: 20 },
      },
      ['uid', 'resourceVersion'],
    ),
    ...{ replicas: t.number(0, 9000), image: t.text(80), status: t.partial({ ready: t.count }) },
  },
  ['status'],
);
const sent = { ...app, example: { kind: 'App', metadata: { name: 'web' }, replicas: 2, image: 'nginx' } };
const order = 'A field, with ` desc` for descending order: `replicas` or `image`.';

const deployments = describedApi(
  {
    'GET /spaces/{space}/apps': [
      'listApps',
      {
        parameters: [
          t.inQuery('orderBy', t.string, { description: order }),
          ...[t.inQuery('limit', t.number(1, 100)), t.inQuery('continue', t.string)],
        ],
        200: t.partial({ metadata: t.partial({ continue: t.string }), items: t.list(app) }),
      },
    ],
    'POST /spaces/{space}/apps': [
      'createApp',
      {
        description: '`status` is ignored.',
        parameters: [t.inQuery('dryRun', t.oneOf('All'))],
        ...{ sent, 201: app, 409: 'The name is taken' },
      },
    ],
    'GET /spaces/{space}/apps/{name}': ['getApp', { 200: app }],
    'PUT /spaces/{space}/apps/{name}': [
      'replaceApp',
      {
        description: '`status` is ignored. A resourceVersion must be the present one.',
        ...{ sent, 200: app, 400: 'Invalid, or the name is not that of the path', 409: 'The app has changed' },
      },
    ],
  },
  { title: 'Deployments', invalid: 400, ids: { space: { ...t.string, example: 'team' } } },
);

type Content = { kind: string; replicas: number; image: string };
type App = Content & { name: string; uid: string; version: string };
type Fields = App & { metadata: { name: string; resourceVersion?: string } };

const rightApps = {
  isStale: (given: string | undefined, present: string) => given !== undefined && given !== present,
  newUid: (old: string) => old,
  stores: (isTried: boolean) => !isTried,
  sign: (isDescending: boolean) => (isDescending ? -1 : 1),
  next: (at: number) => at,
};

function deployment(ways: typeof rightApps): Behaviour<Fields> {
  let versions = 0;
  const version = () => String((versions += 1));
  return {
    kinds: {
      spaces: { key: 'name', given: [{ name: 'team' }] },
      apps: {
        key: 'name',
        isSeen: () => true,
        shown: ({ name, uid, version: resourceVersion, ...content }) => {
          return { ...content, metadata: { name, uid, resourceVersion } };
        },
        listed(apps, { query, shown }) {
          const [field = '', direction] = (query.get('orderBy') ?? '').split(' ') as (keyof Content | '')[];
          if (!['', 'replicas', 'image'].includes(field)) return 400;
          const sign = ways.sign((direction as string | undefined) === 'desc');
          const sorted =
            field === '' ? apps : apps.toSorted((one, other) => sign * (one[field] < other[field] ? -1 : 1));
          const start = Number(query.get('continue') ?? 0);
          const end = start + Number(query.get('limit') ?? 100);
          const next = end < sorted.length ? { continue: String(ways.next(end)) } : {};
          return [200, { metadata: next, items: sorted.slice(start, end).map(shown) }];
        },
      },
    },
    acts: {
      createApp({
        query,
        item,
        sent: {
          metadata: { name },
          kind,
          replicas,
          image,
        },
        all,
        create,
        remove,
        shown,
      }) {
        if (all('apps').some((each) => each.name === name)) return 409;
        const made = create(
          'apps',
          { name, uid: crypto.randomUUID(), version: version(), kind, replicas, image },
          item,
        );
        const response = shown(made);
        if (!ways.stores(query.has('dryRun'))) remove(made);
        return [201, response];
      },
      replaceApp({
        item,
        sent: {
          metadata: { name, resourceVersion },
          kind,
          replicas,
          image,
        },
      }) {
        if (name !== item.name) return 400;
        if (ways.isStale(resourceVersion, item.version)) return 409;
        if (item.replicas === replicas && item.image === image) return item;
        return Object.assign(item, { uid: ways.newUid(item.uid), version: version(), kind, replicas, image });
      },
    },
  };
}

testFaults(deployments, rightApps, deployment, [
  ['overlooks a stale version', { isStale: () => false }, ['replaceApp.stale-precondition']],
  ['gives another uid', { newUid: () => crypto.randomUUID() }, ['replaceApp.replaced']],
  ['stores what is only tried', { stores: () => true }, ['createApp.dry-run']],
  ['sorts in one direction', { sign: () => 1 }, ['listApps.sorted']],
  ['skips an app', { next: (at) => at + 1 }, ['listApps.paged']],
]);
