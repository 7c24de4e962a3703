/**
 * Parcels on their way, in memory: a server that conforms to openapi.yaml beside it and that the contract suite was not
 * written for. It imports nothing but Node.js, so that a mutant is this text with one edit.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Check = (value: unknown) => boolean;
type Fields = Record<string, unknown>;

const text =
  (min: number, max: number, pattern = /^/): Check =>
  (value) =>
    typeof value === 'string' &&
    Array.from(value).length >= min &&
    Array.from(value).length <= max &&
    pattern.test(value);
const integer =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    values.includes(value as string);
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const unique: Check = (value) => new Set(value as unknown[]).size === (value as unknown[]).length;
const list =
  (check: Check, max: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= max && value.every((each) => check(each));
const object =
  (properties: Record<string, Check>, required: string[]): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const fields = Object.entries(value);
    const known = fields.every(([name]) => Object.hasOwn(properties, name));
    return (
      known &&
      required.every((name) => Object.hasOwn(value, name)) &&
      fields.every(([name, each]) => properties[name]?.(each))
    );
  };

const countries = oneOf('DE', 'FR', 'NL');
const statuses = oneOf('created', 'in_transit', 'delivered');
const tag = text(1, 20, /^[a-z]+$/);
const tags = list(tag, 5);
const depotCode = text(5, 5, /^[A-Z]{3}[0-9]{2}$/);
const weight = integer(1, 30000);
const addressFields = ['street', 'postcode', 'country'];
const address = object({ street: text(1, 100), postcode: text(5, 5, /^[0-9]{5}$/), country: countries }, addressFields);
const recipient = object({ name: text(1, 80), address }, ['name', 'address']);
const newParcel = object(
  {
    reference: text(1, 40, /^[A-Z0-9-]+$/),
    recipient,
    weight_grams: weight,
    tags: (value) => tags(value) && unique(value),
    note: nullable(text(0, 200)),
  },
  ['reference', 'recipient', 'weight_grams'],
);
const newEvent = object({ status: oneOf('in_transit', 'delivered'), depot: nullable(depotCode) }, ['status']);

const depots = [
  { code: 'BER01', country: 'DE' },
  { code: 'PAR01', country: 'FR' },
  { code: 'AMS01', country: 'NL' },
];

/** What a test needs: two accounts, the first with a credential of each kind. */
export const credentials = {
  key: 'key-of-the-first-account',
  token: 'token-of-the-first-account',
  readOnlyToken: 'read-only-token-of-the-first-account',
  foreignKey: 'key-of-the-second-account',
  foreignToken: 'token-of-the-second-account',
};

interface Principal {
  account: string;
  scopes: string[];
}
const both = ['parcels:read', 'parcels:write'];
const keys = new Map<string, Principal>([
  [credentials.key, { account: 'first', scopes: both }],
  [credentials.foreignKey, { account: 'second', scopes: both }],
]);
const tokens = new Map<string, Principal>([
  [credentials.token, { account: 'first', scopes: both }],
  [credentials.readOnlyToken, { account: 'first', scopes: ['parcels:read'] }],
  [credentials.foreignToken, { account: 'second', scopes: both }],
]);

interface Parcel {
  account: string;
  fields: Fields & { id: string; reference: string; status: string; tags: string[]; weight_grams: number };
  events: Fields[];
  label?: { type: string; bytes: Buffer };
}
interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}
interface Call {
  principal: Principal;
  id: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
}
interface Operation {
  scope?: string;
  types?: string[];
  isPublic?: true;
  handle(call: Call): Reply | Promise<Reply>;
}

class Refusal extends Error {
  readonly reply: { status: number; detail: string | null; headers: Record<string, string> };

  constructor(status: number, detail: string | null = null, headers: Record<string, string> = {}) {
    super(`${status}`);
    this.reply = { status, detail, headers };
  }
}

const bodyLimit = 16_384;
let parcels: Parcel[] = [];
const replays = new Map<string, { body: string; reply: Reply }>();

const etagOf = ({ fields }: Parcel) =>
  `"${createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16)}"`;
const parcelReply = (parcel: Parcel, status = 200, headers = {}): Reply => ({
  status,
  headers: { etag: etagOf(parcel), ...headers },
  body: parcel.fields,
});

function find({ principal, id }: Call): Parcel {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw new Refusal(400, 'parcel_id is no UUID');
  const parcel = parcels.find(({ account, fields }) => account === principal.account && fields.id === id.toLowerCase());
  if (!parcel) throw new Refusal(404);
  return parcel;
}

function parse(body: Buffer, check: Check): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal(400, 'The body is no JSON');
  }
  if (!check(value)) throw new Refusal(400, 'The body does not match the schema');
  return value as Fields;
}

function numberOf(query: URLSearchParams, name: string, check: Check, otherwise: number): number {
  const values = query.getAll(name);
  if (values.length === 0) return otherwise;
  if (values.length > 1 || !/^-?[0-9]+$/.test(values[0] ?? '') || !check(Number(values[0])))
    throw new Refusal(400, `${name} is not allowed`);
  return Number(values[0]);
}

function itemsOf(query: URLSearchParams, name: string, separator: string, check: Check): string[] {
  const given = query.getAll(name);
  const values = separator === '' ? given : given.flatMap((value) => value.split(separator));
  if ((separator !== '' && given.length > 1) || !check(values)) throw new Refusal(400, `${name} is not allowed`);
  return values;
}

function assertFreeReference(account: string, reference: unknown, except?: Parcel): void {
  const taken = parcels.some(
    (each) => each !== except && each.account === account && each.fields.reference === reference,
  );
  if (taken) throw new Refusal(409, 'The reference is in use');
}

function listParcels({ principal, query }: Call): Reply {
  const wanted = itemsOf(query, 'status', ',', list(statuses, 3));
  const tagged = itemsOf(query, 'tag', '', tags);
  if ([...query.keys()].some((name) => name.startsWith('weight[') && !/^weight\[(min|max)\]$/.test(name)))
    throw new Refusal(400, 'weight is not allowed');
  const min = numberOf(query, 'weight[min]', weight, 1);
  const max = numberOf(query, 'weight[max]', weight, 30000);
  const [sort = '-created_at'] = itemsOf(query, 'sort', '', list(oneOf('created_at', '-created_at'), 1));
  const limit = numberOf(query, 'limit', integer(1, 50), 20);
  const start = numberOf(query, 'cursor', integer(0, 999999), 0);
  const matching = parcels
    .filter(({ account }) => account === principal.account)
    .map(({ fields }) => fields)
    .filter(({ status }) => wanted.length === 0 || wanted.includes(status))
    .filter((fields) => tagged.every((each) => fields.tags.includes(each)))
    .filter(({ weight_grams: grams }) => grams >= min && grams <= max);
  const sorted = sort === 'created_at' ? matching : matching.toReversed();
  const end = start + limit;
  const next_cursor = end < sorted.length ? String(end) : null;
  return { status: 200, body: { items: sorted.slice(start, end), next_cursor } };
}

// oxlint-disable-next-line typescript/require-await -- mutants wait in it
async function createParcel({ principal, headers, body }: Call): Promise<Reply> {
  const fields = parse(body, newParcel);
  const key = headers['idempotency-key'] as string | undefined;
  if (key !== undefined && !text(1, 64, /^[A-Za-z0-9-]+$/)(key))
    throw new Refusal(400, 'Idempotency-Key is not allowed');
  const kept = key === undefined ? undefined : replays.get(`${principal.account} ${key}`);
  if (kept && kept.body !== body.toString()) throw new Refusal(422, 'The key was used with another body');
  if (kept) return kept.reply;
  assertFreeReference(principal.account, fields['reference']);
  const now = new Date().toISOString();
  const parcel = {
    account: principal.account,
    fields: { id: randomUUID(), status: 'created', created_at: now, has_label: false, tags: [], note: null, ...fields },
    events: [{ status: 'created', at: now, depot: null }],
  } as unknown as Parcel;
  parcels.push(parcel);
  const location = `/parcels/${parcel.fields.id}`;
  const reply = { ...parcelReply(parcel, 201, { location }), body: { ...parcel.fields } };
  if (key !== undefined) replays.set(`${principal.account} ${key}`, { body: body.toString(), reply });
  return reply;
}

function getParcel(call: Call): Reply {
  const parcel = find(call);
  const known = call.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known?.some((each) => each === '*' || each === etagOf(parcel)))
    return { status: 304, headers: { etag: etagOf(parcel) } };
  return parcelReply(parcel);
}

// oxlint-disable-next-line typescript/require-await -- mutants wait in it
async function updateParcel(call: Call): Promise<Reply> {
  const parcel = find(call);
  const match = call.headers['if-match'];
  if (match === undefined || !/^"[0-9a-f]{16}"$/.test(match)) throw new Refusal(400, 'If-Match is not allowed');
  const fields = parse(call.body, newParcel);
  if (match !== etagOf(parcel)) throw new Refusal(412);
  assertFreeReference(parcel.account, fields['reference'], parcel);
  const { id, status, created_at, has_label } = parcel.fields;
  parcel.fields = { id, status, created_at, has_label, tags: [], note: null, ...fields } as unknown as Parcel['fields'];
  return parcelReply(parcel);
}

function deleteParcel(call: Call): Reply {
  const parcel = find(call);
  if (parcel.fields.status === 'delivered') throw new Refusal(409, 'It is delivered');
  parcels = parcels.filter((each) => each !== parcel);
  return { status: 204 };
}

function listEvents(call: Call): Reply {
  const { events } = find(call);
  const limit = numberOf(call.query, 'limit', integer(1, 50), 20);
  const offset = numberOf(call.query, 'offset', integer(0, 1000), 0);
  const headers = { 'x-total-count': String(events.length) };
  return { status: 200, headers, body: events.slice(offset, offset + limit) };
}

function addEvent(call: Call): Reply {
  const parcel = find(call);
  const fields = parse(call.body, newEvent);
  if (parcel.fields.status === 'delivered') throw new Refusal(409, 'It is delivered');
  const event = { at: new Date().toISOString(), depot: null, ...fields };
  parcel.events.push(event);
  parcel.fields = { ...parcel.fields, status: String(fields['status']) };
  return { status: 201, body: event };
}

function getLabel(call: Call): Reply {
  const { label } = find(call);
  if (!label) throw new Refusal(404);
  return { status: 200, headers: { 'content-type': label.type }, body: label.bytes };
}

function putLabel(call: Call): Reply {
  const parcel = find(call);
  if (call.body.length === 0) throw new Refusal(400, 'There is no body');
  parcel.label = { type: String(call.headers['content-type']), bytes: call.body };
  parcel.fields = { ...parcel.fields, has_label: true };
  return { status: 204 };
}

function listDepots({ query }: Call): Reply {
  const wanted = itemsOf(query, 'country', '|', list(countries, 3));
  return { status: 200, body: depots.filter(({ country }) => wanted.length === 0 || wanted.includes(country)) };
}

function getDepot({ id }: Call): Reply {
  if (!depotCode(id)) throw new Refusal(400, 'code is not allowed');
  const depot = depots.find(({ code }) => code === id);
  if (!depot) throw new Refusal(404);
  return { status: 200, body: depot };
}

const getAccount = ({ principal: { account, scopes } }: Call): Reply => ({
  status: 200,
  body: { id: account, scopes },
});

const json = ['application/json'];
const read = 'parcels:read';
const write = 'parcels:write';
// oxfmt-ignore
const routes: [RegExp, Record<string, Operation>][] = [
  [/^\/parcels$/, { GET: { scope: read, handle: listParcels }, POST: { scope: write, types: json, handle: createParcel } }],
  [/^\/parcels\/([^/]+)$/, { GET: { scope: read, handle: getParcel }, PUT: { scope: write, types: json, handle: updateParcel }, DELETE: { scope: write, handle: deleteParcel } }],
  [/^\/parcels\/([^/]+)\/events$/, { GET: { scope: read, handle: listEvents }, POST: { scope: write, types: json, handle: addEvent } }],
  [/^\/parcels\/([^/]+)\/label$/, { GET: { scope: read, handle: getLabel }, PUT: { scope: write, types: ['application/pdf', 'image/png'], handle: putLabel } }],
  [/^\/depots$/, { GET: { isPublic: true, handle: listDepots } }],
  [/^\/depots\/([^/]+)$/, { GET: { isPublic: true, handle: getDepot } }],
  [/^\/account$/, { GET: { scope: read, handle: getAccount } }],
];

function authenticate({ headers }: IncomingMessage): Principal {
  const [, token] = /^bearer ([^ ]+)$/i.exec(headers.authorization ?? '') ?? [];
  const principal = keys.get(String(headers['x-parcel-key'])) ?? tokens.get(token ?? '');
  if (!principal) throw new Refusal(401, null, { 'www-authenticate': 'Bearer realm="parcels"' });
  return principal;
}

async function respond(request: IncomingMessage): Promise<Reply> {
  const [path = '', search = ''] = (request.url ?? '').split('?');
  const [pattern, operations] = routes.find(([each]) => each.test(path)) ?? [];
  if (!pattern || !operations) throw new Refusal(404);
  const method = request.method === 'HEAD' ? 'GET' : String(request.method);
  const operation = Object.hasOwn(operations, method) ? operations[method] : undefined;
  if (!operation) throw new Refusal(405, null, { allow: Object.keys(operations).join(', ') });
  const principal = operation.isPublic ? { account: '', scopes: [] } : authenticate(request);
  if (operation.scope !== undefined && !principal.scopes.includes(operation.scope)) throw new Refusal(403);
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (operation.types && !operation.types.includes(type)) throw new Refusal(415);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
  }
  if (operation.types && size > bodyLimit) throw new Refusal(413);
  let id = '';
  try {
    id = decodeURIComponent(pattern.exec(path)?.[1] ?? '');
  } catch {
    throw new Refusal(400, 'The path is no UTF-8');
  }
  const [query, body] = [new URLSearchParams(search), Buffer.concat(chunks)];
  return operation.handle({ principal, id, query, headers: request.headers, body });
}

// oxfmt-ignore
const titles: Record<number, string> = {
  400: 'Invalid request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not found', 405: 'Method not allowed', 409: 'Conflict',
  412: 'Precondition failed', 413: 'Too large', 415: 'Unsupported media type', 422: 'Key reused',
};

/** Starts a server with no parcels on a free port. */
export async function start(): Promise<{ url: string; requests(): number; close(): void }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const send = ({ status, headers = {}, body }: Reply) => {
      // A text goes behind its head. A Buffer gets between it and a `100 Continue` that Node.js has still to send.
      const bytes = Buffer.isBuffer(body) ? body : body === undefined ? '' : JSON.stringify(body);
      const length = Buffer.byteLength(bytes);
      const type = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': length };
      response.writeHead(status, { ...type, ...headers }).end(bytes);
    };
    respond(request).then(send, (error: unknown) => {
      const { status, detail, headers } = (error instanceof Refusal ? error : new Refusal(500)).reply;
      request.resume();
      const body = { title: titles[status] ?? 'Error', status, detail };
      send({ status, headers: { 'content-type': 'application/problem+json', ...headers }, body });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () => {
      server.close().closeAllConnections();
    },
  };
}
