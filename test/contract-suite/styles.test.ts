/** APIs in the styles of well-known ones: forms and objects that go on after an identifier, names and metadata that identify, versions in bodies. */
import { test } from '@jest/globals';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, ofValidation, type Reply } from '../support/planted-faults.ts';
import { apiIn } from '../unit/document/fixture.ts';

const run = eachRun();
const form = 'application/x-www-form-urlencoded';

const payments = apiIn(`
/customers:
  get:
    operationId: listCustomers
    parameters:
      - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 10 } }
      - { name: starting_after, in: query, schema: { type: string }, description: The id of a customer, after which the page begins. }
    responses: { 200: { $ref: '#/components/responses/Customers' } }
  post:
    operationId: createCustomer
    parameters: [{ name: requestId, in: query, schema: { type: string, format: uuid }, description: 'With the same id, nothing is created.' }]
    requestBody: { $ref: '#/components/requestBodies/Customer' }
    responses: { 200: { $ref: '#/components/responses/Customer' }, 400: { description: Invalid } }
/customers/{customer}:
  parameters: [{ $ref: '#/components/parameters/Customer' }]
  get: { operationId: getCustomer, responses: { 200: { $ref: '#/components/responses/Customer' }, 404: { description: None } } }
  post:
    operationId: updateCustomer
    description: 'What is left out stays; \`metadata\` is merged.'
    requestBody: { $ref: '#/components/requestBodies/Customer' }
    responses: { 200: { $ref: '#/components/responses/Customer' }, 400: { description: Invalid }, 404: { description: None } }
  delete:
    operationId: deleteCustomer
    description: Deletes a customer. Its charges remain, with its id.
    responses: { 200: { description: Deleted }, 404: { description: None } }
/charges:
  post:
    operationId: createCharge
    requestBody:
      required: true
      content:
        ${form}:
          schema:
            type: object
            required: [amount]
            properties: { amount: { type: integer, minimum: 50, maximum: 9999 }, customer_id: { type: string, description: An existing customer. } }
          example: { amount: 200, customer_id: cus_1 }
    responses: { 200: { $ref: '#/components/responses/Charge' }, 400: { description: Invalid } }
/charges/{charge}:
  parameters: [{ $ref: '#/components/parameters/Charge' }]
  get:
    operationId: getCharge
    parameters: [{ name: 'expand[]', in: query, schema: { type: array, items: { type: string, enum: [customer_id] } } }]
    responses: { 200: { $ref: '#/components/responses/Charge' }, 404: { description: None } }
/charges/{charge}:capture:
  parameters: [{ $ref: '#/components/parameters/Charge' }]
  post:
    operationId: captureCharge
    description: 'A charge can be captured once: later attempts get 400.'
    responses: { 200: { $ref: '#/components/responses/Charge' }, 400: { description: Captured }, 404: { description: None } }
components:
  parameters:
    Customer: { name: customer, in: path, required: true, schema: { type: string } }
    Charge: { name: charge, in: path, required: true, schema: { type: string } }
  requestBodies:
    Customer:
      content:
        ${form}:
          encoding: { metadata: { style: deepObject, explode: true } }
          schema:
            type: object
            properties: { name: { type: string, maxLength: 40, example: Jo }, metadata: { type: object, additionalProperties: { type: string, maxLength: 40 } } }
  responses:
    Customer: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Customer' } } } }
    Charge: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Charge' } } } }
    Customers:
      description: They
      content:
        application/json:
          schema: { type: object, properties: { data: { type: array, items: { $ref: '#/components/schemas/Customer' } }, has_more: { type: boolean } } }
  schemas:
    Customer:
      type: object
      required: [id, name, metadata]
      properties: { id: { type: string }, name: { type: string, nullable: true }, metadata: { type: object, additionalProperties: { type: string } } }
    Charge:
      type: object
      required: [id, amount, customer_id, state]
      properties:
        id: { type: string }
        amount: { type: integer }
        customer_id: { anyOf: [{ type: string, nullable: true }, { $ref: '#/components/schemas/Customer' }] }
        state: { type: string, enum: [authorised, captured] }
`);

type Customer = { id: string; name: string | null; metadata: Record<string, string> };
type Charge = { id: string; amount: number; customer_id: string | null; state: string };

/** How a server does what the mutants do otherwise. */
const rightPayments = {
  hasMore: (isCut: boolean) => isCut,
  merged: (old: object, sent: object): object => ({ ...old, ...sent }),
  repeats: true,
  mayCapture: (state: string): boolean => state === 'authorised',
  expanded: (customer: Customer): unknown => customer,
};

function paymentServer(wrong: Partial<typeof rightPayments>) {
  const ways = { ...rightPayments, ...wrong };
  let customers: Customer[] = [];
  const charges: Charge[] = [];
  const made = new Map<string, Customer>();
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  return describedServer(payments, ({ operationId, id, query, body, faults: [fault] }) => {
    if (fault) return [fault.parameter ? 404 : 400];
    const fields = [...new URLSearchParams(body)];
    const sent = Object.fromEntries(fields.filter(([name]) => !name.includes('[')));
    const metadata = Object.fromEntries(
      fields.flatMap(([name, value]) => (name.startsWith('metadata[') ? [[name.slice(9, -1), value]] : [])),
    ) as Record<string, string>;
    const customer = customers.find((each) => each.id === id);
    const charge = charges.find((each) => each.id === id.replace(':capture', ''));
    const ofAll: Record<string, () => Reply> = {
      listCustomers() {
        const from = customers.findIndex((each) => each.id === query.get('starting_after')) + 1;
        const end = from + Number(query.get('limit') ?? 10);
        return [200, { data: customers.slice(from, end), has_more: ways.hasMore(end < customers.length) }];
      },
      createCustomer() {
        const key = query.get('requestId') ?? '';
        const known = ways.repeats ? made.get(key) : undefined;
        if (known) return [200, known];
        customers.push({ id: newId('cus'), name: sent['name'] ?? null, metadata });
        if (key !== '') made.set(key, customers.at(-1) as Customer);
        return [200, customers.at(-1)];
      },
      createCharge() {
        const { amount, customer_id: of = null } = sent;
        if (of !== null && !customers.some((each) => each.id === of)) return [400];
        charges.push({ id: newId('ch'), amount: Number(amount), customer_id: of, state: 'authorised' });
        return [200, charges.at(-1)];
      },
    };
    const ofOne: Record<string, () => Reply> = {
      getCustomer: () => [200, customer],
      updateCustomer() {
        Object.assign(customer as Customer, sent, { metadata: ways.merged(customer?.metadata ?? {}, metadata) });
        return [200, customer];
      },
      deleteCustomer() {
        customers = customers.filter((each) => each !== customer);
        return [200, { id, deleted: true }];
      },
      getCharge() {
        const of = customers.find((each) => each.id === charge?.customer_id);
        return [200, query.has('expand[]') && of ? { ...charge, customer_id: ways.expanded(of) } : charge];
      },
      captureCharge() {
        if (!ways.mayCapture(charge?.state ?? '')) return [400];
        return [200, Object.assign(charge as Charge, { state: 'captured' })];
      },
    };
    return ofAll[operationId]?.() ?? ((customer ?? charge) ? ofOne[operationId]?.() : undefined) ?? [404];
  });
}

test.each<[title: string, wrong: Partial<typeof rightPayments>, failed: string[]]>([
  ['conforms', {}, []],
  ['forgets that there are more', { hasMore: () => false }, ['listCustomers.paged']],
  ['replaces metadata', { merged: (_old, sent) => sent }, ['updateCustomer.changed']],
  ['creates again', { repeats: false }, ['createCustomer.repeated-key']],
  ['captures twice', { mayCapture: () => true }, ['captureCharge.acted']],
  ['expands nothing', { expanded: ({ id }) => id }, ['getCharge.expanded']],
])('a server of forms that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(paymentServer(wrong)), payments, failed, {}, ofValidation);
});

const deployments = apiIn(`
/spaces/{space}/apps:
  parameters: [{ name: space, in: path, required: true, schema: { type: string }, example: team }]
  get:
    operationId: listApps
    parameters:
      - { name: orderBy, in: query, schema: { type: string }, description: 'A field, with \` desc\` for descending order: \`replicas\` or \`image\`.' }
      - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }
      - { name: continue, in: query, schema: { type: string } }
    responses:
      200:
        description: They
        content:
          application/json:
            schema:
              type: object
              properties:
                metadata: { type: object, properties: { continue: { type: string } } }
                items: { type: array, items: { $ref: '#/components/schemas/App' } }
      400: { description: Invalid }
      404: { description: None }
  post:
    operationId: createApp
    description: '\`status\` is ignored.'
    parameters: [{ name: dryRun, in: query, schema: { type: string, enum: [All] } }]
    requestBody: { $ref: '#/components/requestBodies/App' }
    responses: { 201: { $ref: '#/components/responses/App' }, 400: { description: Invalid }, 404: { description: None }, 409: { description: The name is taken } }
/spaces/{space}/apps/{name}:
  parameters:
    - { name: space, in: path, required: true, schema: { type: string }, example: team }
    - { name: name, in: path, required: true, schema: { type: string } }
  get: { operationId: getApp, responses: { 200: { $ref: '#/components/responses/App' }, 404: { description: None } } }
  put:
    operationId: replaceApp
    description: '\`status\` is ignored. A resourceVersion must be the present one.'
    requestBody: { $ref: '#/components/requestBodies/App' }
    responses:
      200: { $ref: '#/components/responses/App' }
      400: { description: 'Invalid, or the name is not that of the path' }
      404: { description: None }
      409: { description: The app has changed }
components:
  requestBodies:
    App:
      required: true
      content:
        application/json:
          schema: { $ref: '#/components/schemas/App' }
          example: { kind: App, metadata: { name: web }, replicas: 2, image: nginx }
  responses:
    App: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/App' } } } }
  schemas:
    App:
      type: object
      required: [kind, metadata, replicas, image]
      properties:
        kind: { type: string, enum: [App] }
        metadata:
          type: object
          required: [name]
          properties:
            name: { type: string, pattern: '^[a-z0-9]{1,20}$' }
            uid: { type: string, readOnly: true }
            resourceVersion: { type: string, maxLength: 20 }
        replicas: { type: integer, minimum: 0, maximum: 9000 }
        image: { type: string, minLength: 1, maxLength: 80 }
        status: { type: object, properties: { ready: { type: integer } } }
`);

type App = {
  kind: string;
  metadata: { name: string; uid: string; resourceVersion: string };
  replicas: number;
  image: string;
};

const rightApps = {
  isStale: (given: string | undefined, present: string) => given !== undefined && given !== present,
  newUid: (old: string) => old,
  stores: (isTried: boolean) => !isTried,
  sign: (isDescending: boolean) => (isDescending ? -1 : 1),
  next: (at: number) => at,
};

function appServer(wrong: Partial<typeof rightApps>) {
  const ways = { ...rightApps, ...wrong };
  const apps: App[] = [];
  let version = 0;
  const newVersion = () => String((version += 1));
  return describedServer(deployments, ({ operationId, id, part, query, sent: given, faults: [fault] }) => {
    if (fault) return [fault.parameter && !query.has(fault.parameter.name) ? 404 : 400];
    if (id !== 'team') return [404];
    const { metadata, kind, replicas, image } = given as unknown as App;
    const known = apps.find((each) => each.metadata.name === part);
    const content = { kind, replicas, image };
    switch (operationId) {
      case 'listApps': {
        const [field = '', direction] = (query.get('orderBy') ?? '').split(' ') as (keyof typeof content | '')[];
        if (!['', 'replicas', 'image'].includes(field)) return [400];
        const sign = ways.sign((direction as string | undefined) === 'desc');
        const sorted = field === '' ? apps : apps.toSorted((one, other) => sign * (one[field] < other[field] ? -1 : 1));
        const start = Number(query.get('continue') ?? 0);
        const end = start + Number(query.get('limit') ?? 100);
        const next = end < sorted.length ? { continue: String(ways.next(end)) } : {};
        return [200, { metadata: next, items: sorted.slice(start, end) }];
      }
      case 'createApp': {
        if (apps.some((each) => each.metadata.name === metadata.name)) return [409];
        const made = {
          ...content,
          metadata: { name: metadata.name, uid: crypto.randomUUID(), resourceVersion: newVersion() },
        };
        if (ways.stores(query.has('dryRun'))) apps.push(made);
        return [201, made];
      }
      case 'getApp':
        return known ? [200, known] : [404];
      default: {
        if (!known) return [404];
        if (metadata.name !== part) return [400];
        if (ways.isStale((metadata as Partial<App['metadata']>).resourceVersion, known.metadata.resourceVersion))
          return [409];
        if (known.replicas === replicas && known.image === image) return [200, known];
        const { uid } = known.metadata;
        Object.assign(known, content, {
          metadata: { name: part, uid: ways.newUid(uid), resourceVersion: newVersion() },
        });
        return [200, known];
      }
    }
  });
}

test.each<[title: string, wrong: Partial<typeof rightApps>, failed: string[]]>([
  ['conforms', {}, []],
  ['overlooks a stale version', { isStale: () => false }, ['replaceApp.stale-precondition']],
  ['gives another uid', { newUid: () => crypto.randomUUID() }, ['replaceApp.replaced']],
  ['stores what is only tried', { stores: () => true }, ['createApp.dry-run']],
  ['sorts in one direction', { sign: () => 1 }, ['listApps.sorted']],
  ['skips an app', { next: (at) => at + 1 }, ['listApps.paged']],
])('a server of named objects that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(appServer(wrong)), deployments, failed);
});
