/** What the relations do to a server: create, find, list, update and remove items, within a budget, and clean up. */
import { type Baseline, withQuery } from '../plan/baseline.ts';
import { type Headers, otherEntry, presented } from '../dimensions/credential-scheme.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import type { Schema } from '../document/model.ts';
import type { CheckContext, CredentialName, HttpResponse, Need } from '../run/model.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import { nextCursor, pagingOf } from './query-roles.ts';
import {
  entityIn,
  fieldsOf,
  type Fields,
  identifierField,
  identifierIn,
  isAtOrBelow,
  isObject,
  listedItems,
  listedSchema,
  locatedAt,
  parsed,
  refersTo,
  type Resource,
  type Resources,
  successSchema,
} from './resources.ts';
import { changedFields, type Freedom, freedoms, variantOf } from './values.ts';

/** The most requests of one relation, and of all relations of a run: servers of others must not be flooded. */
export const mostRequests = { ofOne: 700, ofAll: 6000 };
const mostPages = 40;

/** A row: what holds between requests, which operation it is about, and how it is checked. */
export interface Relation {
  readonly id: string;
  readonly title: string;
  /** If it is undefined, the document does not promise the relation. */
  readonly about: Baseline | undefined;
  readonly uses?: readonly (Baseline | undefined)[];
  /** The operations that another tenant calls, too. */
  readonly foreign?: readonly (Baseline | undefined)[];
  readonly needs?: readonly Need[];
  readonly run: (client: Client, context: CheckContext) => Promise<void>;
}

/** What all relations of a run share. */
export interface Run extends Resources {
  /** Makes texts differ from those of other runs. */
  readonly tag: string;
  requests: number;
  /** How many identifiers were chosen. */
  identifiers: number;
  /** How many bodies were made of an operation. */
  readonly bodies: Map<Baseline, number>;
  readonly freedoms: Map<Resource, Freedom>;
  readonly created: Map<Resource, Pick<Item, 'sent' | 'response'>>;
}

/** Whose credentials a request has: those of the tester, or of another tenant. */
type Caller = 'own' | 'other';
export type At = Readonly<Record<string, string>>;

export interface Item {
  readonly resource: Resource;
  readonly id: string;
  /** The path parameters of the item, as they are sent. */
  readonly at: At;
  readonly sent: Fields;
  readonly response: HttpResponse;
  readonly caller: Caller;
}

export interface Sending {
  readonly at?: At;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Headers;
  readonly body?: unknown;
  readonly method?: string;
  readonly caller?: Caller;
  readonly credential?: Headers;
}

export interface Listing {
  readonly items: readonly Fields[];
  readonly ids: readonly string[];
  /** Whether all pages were read. */
  readonly complete: boolean;
  readonly last: HttpResponse;
}

/** @throws {Error} with the response that shows what is wrong */
export function fail(message: string, response: HttpResponse): never {
  throw new Error(message, { cause: response });
}

export function unmet(what: string): never {
  throw new UnmetPreconditionError(what);
}

export function isSuccess({ status }: Pick<HttpResponse, 'status'>): boolean {
  return status >= 200 && status < 300 && status !== 202;
}

export function told(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

/** The exchanges of one relation. */
export class Client {
  readonly run: Run;
  readonly #context: CheckContext;
  readonly #items: Item[] = [];
  readonly #removed = new Set<Item>();
  readonly #owners = new Map<string, Item>();
  #requests = 0;
  #isCleaningUp = false;

  constructor(context: CheckContext, run: Run) {
    this.#context = context;
    this.run = run;
  }

  /** A credential that only a part of a relation uses. @throws {UnmetPreconditionError} if there is none */
  credential(name: CredentialName): string {
    return this.#context.credentials[name] ?? unmet(`missing: ${name}`);
  }

  async send(baseline: Baseline, sending: Sending = {}): Promise<HttpResponse> {
    const { at = {}, query = {}, headers = [], caller = 'own', method } = sending;
    this.run.requests += 1;
    this.#requests += 1;
    const { ofOne, ofAll } = mostRequests;
    const most = this.run.requests > ofAll ? ofAll : ofOne;
    if (!this.#isCleaningUp && (this.run.requests > ofAll || this.#requests > ofOne))
      unmet(`the budget of ${most} requests is used up`);
    const secrets = { credential: (name: CredentialName) => this.credential(name) };
    const [path = '', given = ''] = baseline.path(secrets, at).split('?');
    // An optional value that the tester or the document gives may be a filter.
    const required = baseline.operation.parameters.filter((each) => each.in === 'query' && each.required);
    const isKept = (pair: string) =>
      required.some(({ name }) => !(name in query) && pair.startsWith(encodeURIComponent(name)));
    const kept = given.split('&').filter(isKept);
    const sent = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='));
    const others = () =>
      baseline.schemes.flatMap((each) => presented(each, this.credential(otherEntry(each.credential))));
    const credential = sending.credential ?? (caller === 'other' ? others() : undefined);
    const { body } = sending;
    const request = baseline.request(secrets, {
      path: [...kept, ...sent].reduce(withQuery, path),
      headers,
      ...(credential && { credential }),
      ...(method !== undefined && { method, content: [], body: undefined }),
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    const response = await this.#context.call(request);
    if (response.status === 429) unmet('the server limits the rate of requests');
    if (response.headers['x-half'] !== undefined) fail('a text of the request has become a header X-Half', response);
    return response;
  }

  /** A body with values of its own, and with identifiers of items that it refers to. */
  async body(
    resource: Resource | undefined,
    baseline = resource?.create as Baseline,
    caller: Caller = 'own',
    freedom = resource && this.run.freedoms.get(resource),
  ): Promise<Fields> {
    const { schema = {}, valid } = baseline.json ?? {};
    const count = (this.run.bodies.get(baseline) ?? 0) + 1;
    this.run.bodies.set(baseline, count);
    const body = { ...variantOf(schema, valid, count, this.run.tag, freedom ?? freedoms[0]) };
    const own = resource && identifierField(body, resource);
    if (own !== undefined) body[own] = typed(body[own], this.#chosenId(fieldsOf(schema)[own] ?? {}));
    return (await this.withReferences(body, resource, caller)) as Fields;
  }

  /** @throws {UnmetPreconditionError} if the server accepts no body that the suite can make */
  async create(resource: Resource, sending: Sending = {}): Promise<Item> {
    const known = this.run.freedoms.get(resource);
    let status = 0;
    for (const freedom of known ? [known] : freedoms) {
      const made = await this.tryCreate(
        resource,
        await this.body(resource, undefined, sending.caller, freedom),
        sending,
      );
      if ('resource' in made) {
        this.run.freedoms.set(resource, freedom);
        return made;
      }
      ({ status } = made);
      if (status >= 500) fail(`a valid request gets ${status}`, made);
    }
    unmet(
      `missing: a body of ${resource.create?.operation.operationId} that the server accepts (it responds ${status})`,
    );
  }

  /** Creates an item; returns the response if it is refused. */
  async tryCreate(resource: Resource, given: Fields, sending: Sending = {}): Promise<Item | HttpResponse> {
    const { create, parameter } = resource;
    if (!create) unmet(`missing: an operation that creates ${resource.path}`);
    const { caller = 'own' } = sending;
    const owner = sending.at ?? (await this.locate(create.operation.path, caller, resource));
    const chosen = create.operation.method === 'put' ? this.#chosenId(parameter.schema) : undefined;
    const at = { ...owner, ...(chosen !== undefined && { [parameter.name]: chosen }) };
    const sent = chosen === undefined ? given : identified(given, { resource, id: chosen });
    const response = await this.send(create, { ...sending, at, body: sent });
    if (!isSuccess(response) && response.status !== 202) return response;
    const entity = entityIn(parsed(response), resource);
    const located = locatedAt(resource, response);
    const { [parameter.name]: last } = located;
    const id = chosen ?? (entity && identifierIn(entity, resource)) ?? (last && decodeURIComponent(last));
    if (id === undefined || response.status === 202)
      unmet(`missing: the identifier of what ${create.operation.operationId} creates, in its response`);
    const text = pathTextOf(parameter, id) ?? id;
    const item = { resource, id, at: { ...owner, ...located, [parameter.name]: text }, sent, response, caller };
    this.#items.push(item);
    const before = this.run.created.get(resource);
    this.run.created.set(resource, item);
    const isOther = before && JSON.stringify(before.sent) !== JSON.stringify(sent);
    if (isOther && before.response.text === response.text && isExample(create, response))
      unmet('the server responds with an example, whatever it is sent');
    return item;
  }

  /** The path parameters of an operation's path, of an item that is created if the document says how. */
  async locate(path: string, caller: Caller = 'own', except?: Resource): Promise<At> {
    const owner = this.run.resources.findLast((each) => each !== except && isAtOrBelow(path, each));
    // What is created has nothing of which only the identifier is known.
    if (!except && owner && path.slice(owner.path.length).includes('{')) return {};
    return owner?.create ? (await this.#owner(owner, caller)).at : {};
  }

  /** The representation of an item, read or listed; undefined if it is gone. */
  async find({ resource, at, id, caller }: Item): Promise<{ entity: Fields | undefined; response: HttpResponse }> {
    if (resource.read) {
      const response = await this.send(resource.read, { at, caller });
      return { entity: isSuccess(response) ? entityIn(parsed(response), resource) : undefined, response };
    }
    const { items, ids, last } = await this.listAll(resource, { at, caller });
    return { entity: items[ids.indexOf(id)], response: last };
  }

  /** @throws {Error} if an item cannot be read, or has not the expected fields */
  async expectRead(item: Item, expected: Fields = item.sent, when = 'it was created') {
    const { entity, response } = await this.find(item);
    if (!entity) fail(`expected to find ${item.id} after ${when}, got ${response.status}`, response);
    const id = identifierIn(entity, item.resource);
    if (id !== undefined && id !== item.id && item.resource.create?.operation.method !== 'put')
      fail(`expected to read ${item.id}, got ${id}`, response);
    expectFields(item.resource, expected, entity, response, when);
    return { entity, response };
  }

  /** Reads a list page by page. @param sending.size the size of a page; by default the largest */
  async listAll(resource: Resource, { size, ...sending }: Sending & { size?: number } = {}): Promise<Listing> {
    const { list } = resource;
    if (!list) unmet(`missing: an operation that reads ${resource.path}`);
    const at = sending.at ?? (await this.locate(list.operation.path, sending.caller, resource));
    const { limit, offset, page, cursor } = pagingOf(list.operation);
    const length = Math.max(size ?? Math.min(limit?.schema.maximum ?? 100, 100), limit?.schema.minimum ?? 1);
    const items: Fields[] = [];
    let position: Record<string, string> = {};
    for (let pages = 1; ; pages += 1) {
      const query = { ...(limit && { [limit.name]: String(length) }), ...position, ...sending.query };
      const last = await this.send(list, { ...sending, at, query });
      const found = isSuccess(last) ? listedItems(parsed(last)) : undefined;
      if (!found && !isSuccess(last) && pages === 1)
        unmet(`missing: a list that can be read (it responds ${last.status})`);
      if (!found) fail('expected a page of the list', last);
      items.push(...found);
      const next = cursor && nextCursor(parsed(last), last.headers['link'], cursor.name);
      const first = Number(page?.schema.minimum ?? page?.schema.default ?? 1);
      if (next !== undefined && cursor) position = { [cursor.name]: next };
      else if (offset) position = { [offset.name]: String(items.length) };
      else if (page) position = { [page.name]: String(first + pages) };
      const hasMore = cursor ? next !== undefined : found.length > 0 && (offset ?? page) !== undefined;
      if (hasMore && pages < mostPages) continue;
      const isWhole = cursor !== undefined || (offset ?? page) !== undefined || !limit || found.length < length;
      const ids = items.map((each) => identifierIn(each, resource) ?? '');
      return { items, ids, complete: !hasMore && isWhole, last };
    }
  }

  /** Replaces or changes an item; undefined if the server refuses it. */
  async update(item: Item, update: Baseline, body: Fields, isMatching = true): Promise<HttpResponse | undefined> {
    const headers = isMatching ? await this.matching(item, update) : [];
    const response = await this.send(update, { at: item.at, body: identified(body, item), headers });
    if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
    return isSuccess(response) ? response : undefined;
  }

  async remove(item: Item): Promise<HttpResponse> {
    const { remove } = item.resource;
    if (!remove) unmet(`missing: an operation that removes ${item.resource.path}`);
    const headers = await this.matching(item, remove);
    const response = await this.send(remove, { at: item.at, caller: item.caller, headers });
    if (isSuccess(response)) this.#removed.add(item);
    return response;
  }

  /** `If-Match` with the present `ETag`, if the operation has it. */
  async matching(item: Item, baseline: Baseline): Promise<Headers> {
    const { etag } = hasHeader(baseline, /^if-match$/i) ? (await this.find(item)).response.headers : {};
    return etag === undefined ? [] : [['If-Match', etag]];
  }

  /** Removes what was created, the last first; what cannot be removed stays. */
  async cleanUp(items: readonly Item[] = this.#items): Promise<void> {
    this.#isCleaningUp = true;
    for (const item of items.toReversed())
      if (item.resource.remove && !this.#removed.has(item)) await this.remove(item).catch(() => undefined);
    this.#isCleaningUp = false;
  }

  async #owner(resource: Resource, caller: Caller): Promise<Item> {
    const key = `${caller} ${resource.path}`;
    const item = this.#owners.get(key) ?? (await this.create(resource, { caller }));
    this.#owners.set(key, item);
    return item;
  }

  /** A value with identifiers of items that exist where it names others, at any depth. */
  async withReferences(value: unknown, resource: Resource | undefined, caller: Caller = 'own'): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.withReferences(each, resource, caller)));
    if (!isObject(value)) return value;
    const found: Fields = {};
    for (const [name, each] of Object.entries(value)) {
      const other = this.run.resources.find((kind) => kind !== resource && kind.create && refersTo(kind, name));
      const isReference = other && ['string', 'number'].includes(typeof each);
      found[name] = isReference
        ? typed(each, (await this.#owner(other, caller)).id)
        : await this.withReferences(each, resource, caller);
    }
    return found;
  }

  #chosenId({ type = 'string', format }: Schema): string {
    this.run.identifiers += 1;
    if (format === 'uuid') return crypto.randomUUID();
    return type === 'string' ? `${this.run.tag}${this.run.identifiers}` : String(1_000_000 + this.run.identifiers);
  }
}

/** A body that has the identifier of its item, if it has one. */
export function identified(body: Fields, { resource, id }: Pick<Item, 'resource' | 'id'>): Fields {
  const own = identifierField(body, resource);
  return own === undefined ? body : { ...body, [own]: typed(body[own], id) };
}

/** An identifier in the type of a value. */
function typed(value: unknown, id: string | undefined): unknown {
  return typeof value === 'number' ? Number(id) : id;
}

/** @param shownBy whose response it is, if not of reading. @throws {Error} if a representation has other values than were sent */
export function expectFields(
  resource: Resource,
  expected: Fields,
  entity: Fields,
  response: HttpResponse,
  when: string,
  shownBy = resource.read,
): void {
  const listed = resource.list && listedSchema(resource.list.operation);
  const schemas = shownBy ? successSchema(shownBy.operation) : [listed ?? {}];
  const [name] = changedFields(expected, entity, requestSchema(resource), ...schemas);
  if (name !== undefined) fail(`${name} is ${told(entity[name])} after ${when} with ${told(expected[name])}`, response);
}

/** The schemas of the bodies in which a client sends the fields of an item. */
export function requestSchema({ create, replace, change }: Resource): Schema {
  const fields = [change, replace, create].map((each) => fieldsOf(each?.json?.schema ?? {}));
  return { properties: Object.assign({}, ...fields) as Record<string, Schema> };
}

/** Whether a response is one that the document shows, or may be, as the document shows none. */
export function isExample({ operation }: Baseline, response: HttpResponse): boolean {
  const { content = {} } = operation.responses[String(response.status)] ?? {};
  const examples = Object.values(content).flatMap(({ examples: named, schema }) => [
    ...Object.values(named).map(({ value }) => value),
    ...(schema.example === undefined ? [] : [schema.example]),
  ]);
  return examples.length === 0 || examples.some((value) => JSON.stringify(value) === JSON.stringify(parsed(response)));
}

export function hasHeader(baseline: Baseline | undefined, header: RegExp): boolean {
  return baseline?.operation.parameters.some(({ in: place, name }) => place === 'header' && header.test(name)) ?? false;
}
