/** What the relations do to a server: create, find, list, update and remove items, and clean up. */
import type { Baseline } from '../plan/baseline.ts';
import type { Headers } from '../dimensions/credential-scheme.ts';
import { isObject, parsed } from '../oracle/json.ts';
import { pathTextOf, valueOfText } from '../oracle/parameters.ts';
import { oracleOf } from '../oracle/schema.ts';
import { textsMatching } from '../dimensions/samples.ts';
import type { Schema } from '../document/model.ts';
import { successSchema, valueOf } from '../plan/parameters.ts';
import type { HttpResponse } from '../run/model.ts';
import {
  type At,
  type Caller,
  expectFields,
  expectProducts,
  fail,
  headerOf,
  identified,
  isSuccess,
  type Item,
  requireNoExample,
  type Sending,
  together,
  typed,
  unmet,
} from './exchange.ts';
import { nextCursor } from './query-roles.ts';
import { Sender } from './sender.ts';
import {
  entityIn,
  identifierField,
  identifierIn,
  isAtOrBelow,
  isBelowParent,
  isMergePatch,
  locatedAt,
  ownerOf,
  refersTo,
  removesForGood,
  removesWith,
  type Resource,
  tellsCreation,
} from './resources.ts';
import { fieldsOf } from '../document/schemas.ts';
import {
  type Fields,
  type Freedom,
  freedoms,
  isMoving,
  listedItems,
  mergedWith,
  plainName,
  singular,
  variantOf,
} from './values.ts';

const mostPages = 40;

/** What an item should be after a change, which may bring it into another state. */
function changedBy(change: Baseline, item: Fields, body: Fields): Fields {
  const fields = Object.fromEntries(Object.entries(item).filter(([name]) => !isMoving(name)));
  return isMergePatch(change) ? (mergedWith(fields, body, change.json?.schema) as Fields) : { ...fields, ...body };
}

export class Client extends Sender {
  /** The items that should be found as they are. */
  live: Item[] = [];
  /** Those to clean up. */
  readonly items: Item[] = [];
  /** By item, whether it was removed for good. */
  readonly removed = new Map<Item, boolean>();
  readonly #owners = new Map<string, Item>();
  /** Those whose items are being created or looked for, as others refer to them. */
  readonly #sought = new Set<Resource>();
  readonly #retried = new Set<Resource>();
  /** Whether fields refer to the items that the tester has given, rather than to new ones. */
  namesGiven = false;
  /** A body with values of its own, and with identifiers of items that it refers to. */
  async body(
    resource: Resource,
    baseline = resource.create as Baseline,
    freedom = this.run.freedoms.get(resource.path),
    caller: Caller = 'own',
  ): Promise<Fields> {
    const { schema = {}, valid } = baseline.json ?? baseline.form ?? {};
    const count = (this.run.bodies.get(resource.path) ?? 0) + 1;
    this.run.bodies.set(resource.path, count);
    const body = { ...variantOf(schema, valid, count, this.run.tag, freedom ?? freedoms[0]) };
    const own = identifierField(body, resource);
    if (own !== undefined) body[own] = typed(body[own], this.chosenId(fieldsOf(schema)[own]));
    const referring = await this.withReferences(body, resource, caller);
    return oracleOf(schema)(referring).length > 0 ? body : (referring as Fields);
  }

  /** @throws {UnmetPreconditionError} if the server accepts no body that the suite can make */
  async create(resource: Resource, sending: Sending = {}, naming: Fields = {}): Promise<Item> {
    const known = this.run.freedoms.get(resource.path);
    let status = 0;
    // A value that must be unique may have been taken, or one alternative of several be refused.
    for (const freedom of known ? [known, known, known, known] : freedoms) {
      this.run.freedoms.set(resource.path, freedom);
      const body = await this.body(resource, undefined, freedom, sending.caller);
      for (const [name, id] of Object.entries(naming)) body[name] = typed(body[name], String(id));
      const { item, response } = await this.tryCreate(resource, body, sending);
      if (item) return item;
      ({ status } = response);
      if (status >= 500) fail(`a valid request gets ${status}`, response);
    }
    if (!known) this.run.freedoms.delete(resource.path);
    // An owner of another kind may accept it.
    if (!sending.at && isBelowParent(resource) && !this.#retried.has(resource)) {
      this.#retried.add(resource);
      this.#owners.delete(`${sending.caller ?? 'own'} ${resource.parent?.path ?? ''}`);
      return this.create(resource, sending, naming);
    }
    const { operationId } = (resource.create as Baseline).operation;
    unmet(`missing: a body of ${operationId} that the server accepts (it responds ${status})`);
  }

  /** Creates an item of an owner of its own, of a kind that accepts it. */
  async createBelow(resource: Resource, owner: Resource): Promise<Item> {
    for (const freedom of freedoms.slice(0, 3)) {
      const { at } = await this.create(owner);
      const { item } = await this.tryCreate(resource, await this.body(resource, undefined, freedom), { at });
      if (item) return item;
    }
    return this.create(resource);
  }

  /** Creates an item; there is none if it is refused. */
  async tryCreate(resource: Resource, given: Fields, sending: Sending = {}) {
    const { create, parameter } = resource;
    if (!create) unmet(`missing: an operation that creates ${resource.path}`);
    const { caller = 'own' } = sending;
    const owner = sending.at ?? (await this.locate(create.operation.path, caller, resource));
    const chosen = create.operation.method === 'put' ? this.chosenId(parameter.schema) : undefined;
    const fields = chosen === undefined ? given : identified(given, { resource, id: chosen });
    const at = { ...owner, ...(chosen !== undefined && { [parameter.name]: chosen }) };
    const response = await this.send(create, { ...sending, at, body: fields });
    if (!isSuccess(response) && response.status !== 202) return { response };
    // RFC 9110, section 9.3.4.
    if (chosen !== undefined && tellsCreation(create) && response.status !== 201)
      fail(`expected 201 for what did not exist, got ${response.status}`, response);
    const entity = entityIn(parsed(response.text), resource);
    const located = locatedAt(resource, response);
    const { [parameter.name]: last } = located;
    const id = chosen ?? (entity && identifierIn(entity, resource)) ?? (last && decodeURIComponent(last));
    if (id === undefined || (response.status === 202 && response.headers['location'] === undefined))
      unmet(`missing: the identifier of what ${create.operation.operationId} creates, in its response`);
    const text = pathTextOf(parameter, id) ?? id;
    const item = { resource, id, at: { ...owner, ...located, [parameter.name]: text }, fields, response, caller };
    this.items.push(item);
    if (response.status === 202 && !(await this.find(item)).entity) unmet('missing: what was accepted, to be read');
    this.requireLive(create, fields, response);
    return { item: item as Item, response };
  }

  /** @throws {UnmetPreconditionError} if the server responds with an example, whatever it is sent */
  requireLive(baseline: Baseline, body: Fields, response: HttpResponse): void {
    const [sent, got] = [JSON.stringify(body), response.text + (response.headers['location'] ?? '')];
    const before = this.run.accepted.get(baseline);
    this.run.accepted.set(baseline, { sent, got });
    if (before && got !== '' && before.sent !== sent && before.got === got) requireNoExample(baseline, response);
  }

  /** The path parameters of an operation's path, of an item that is created if the document says how, or listed. */
  async locate(path: string, caller: Caller = 'own', except?: Resource): Promise<At> {
    const others = this.run.resources.filter((each) => each.path !== except?.path);
    const owner = ownerOf(path, others);
    // What is created has nothing of which only the identifier is known.
    if (!except && owner && path.slice(owner.path.length).includes('{')) return {};
    return owner?.create ? (await this.#owner(owner, caller)).at : owner ? (await this.#listed(owner, caller)).at : {};
  }

  /** The path parameters of the first item of a list, unless the tester has given them, and the identifiers of all on its page. */
  async #listed(resource: Resource, caller: Caller): Promise<{ at: At; ids: readonly string[] }> {
    const { list, parameter } = resource;
    if (!list || parameter.value !== undefined) return { at: {}, ids: [] };
    const at = await this.locate(list.operation.path, caller, resource);
    const { parameters } = list.operation;
    if (parameters.some((each) => each.required && !(each.name in at) && valueOf(each) === undefined))
      return { at, ids: [] };
    const items = listedItems(parsed((await this.send(list, { at, caller })).text)) ?? [];
    const ids = items.flatMap((each) => identifierIn(each, resource) ?? []);
    const id = ids.find((each) => oracleOf(parameter.schema)(valueOfText(parameter.schema, each)).length === 0);
    return { at: id === undefined ? at : { ...at, [parameter.name]: pathTextOf(parameter, id) ?? id }, ids };
  }

  /** The representation of an item, read or listed; undefined if it is gone. */
  async find({ resource, at, id, caller }: Omit<Item, 'response' | 'fields'>) {
    if (resource.read) {
      const response = await this.send(resource.read, { at, caller });
      const entity = isSuccess(response) ? entityIn(parsed(response.text), resource) : undefined;
      if (entity) expectProducts(resource, entity, response);
      return { entity, response };
    }
    const { items, ids, last } = await this.listAll(resource, { at, caller });
    return { entity: items[ids.indexOf(id)], response: last };
  }

  /** @throws {Error} if an item cannot be read, or has not the expected fields */
  async expectRead(item: Item, when = 'it was created', expected: Fields = item.fields) {
    const { id, resource } = item;
    const { entity, response } = await this.find(item);
    if (!entity) fail(`expected to find ${id} after ${when}, got ${response.status}`, response);
    const found = identifierIn(entity, resource);
    if (found !== undefined && found !== id && resource.create?.operation.method !== 'put')
      fail(`expected to find ${id} after ${when}, found ${found}`, response);
    expectFields(resource, expected, { entity, response }, when);
    return { entity, response };
  }

  /** Reads a list page by page, to its end if it can. @param paged.size that of a page; by default the largest */
  async listAll(resource: Resource, paged: Sending & { size?: number | undefined; isSure?: boolean } = {}) {
    const { size, isSure = false, ...sending } = paged;
    const { list, query: roles } = resource;
    if (!list || !roles) unmet(`missing: an operation that reads ${resource.path}`);
    const at = sending.at ?? (await this.locate(list.operation.path, sending.caller, resource));
    const { limit, offset, page, cursor } = roles.paging;
    const length = Math.max(size ?? Math.min(limit?.schema.maximum ?? 100, 100), limit?.schema.minimum ?? 1);
    const items: Fields[] = [];
    let position: Record<string, string> = {};
    for (let pages = 1; ; pages += 1) {
      const query = { ...(limit && { [limit.name]: String(length) }), ...position, ...sending.query };
      const last = await this.send(list, { ...sending, at, query });
      if (isSure && [400, 422].includes(last.status)) fail('values that the document allows are refused', last);
      if (!isSuccess(last) && pages === 1) unmet(`missing: a list that can be read (it responds ${last.status})`);
      const found = isSuccess(last) ? listedItems(parsed(last.text)) : undefined;
      if (!found) fail('expected a page of the list', last);
      const isEmpty = cursor && pages > 1 && found.length === 0;
      if (isEmpty && /\blast page\b/i.test(JSON.stringify(successSchema(list.operation))))
        fail('the cursor of a last page leads to an empty one', last);
      items.push(...found);
      const next = cursor && nextCursor(parsed(last.text), last.headers['link'], cursor.name);
      const first = Number(page?.schema.minimum ?? page?.schema.default ?? 1);
      if (next !== undefined && cursor) position = { [cursor.name]: next };
      else if (offset) position = { [offset.name]: String(items.length) };
      else if (page) position = { [page.name]: String(first + pages) };
      const isPaged = cursor !== undefined || (offset ?? page) !== undefined;
      const hasMore = cursor ? next !== undefined : found.length > 0 && isPaged;
      if (hasMore && pages < mostPages) continue;
      const ids = items.map((each) => identifierIn(each, resource) ?? '');
      return { items, ids, complete: !hasMore && (isPaged || !limit || found.length < length), last };
    }
  }

  /** Replaces or changes an item. @returns the response, if the server has accepted it */
  async update(item: Item, update: Baseline, made: Fields, isMatching = true): Promise<HttpResponse | undefined> {
    const headers = isMatching ? await this.matching(item, update) : [];
    const body = identified(made, item);
    const response = await this.send(update, { at: item.at, body, headers });
    if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
    if (!isSuccess(response)) return undefined;
    if (tellsCreation(update) && response.status === 201)
      fail('expected 200 or 204 for what exists, got 201', response);
    item.fields = update === item.resource.change ? changedBy(update, item.fields, body) : body;
    return response;
  }

  /** Removes an item, and with it what belongs to it. */
  async remove(item: Item): Promise<HttpResponse> {
    const { resource, at, caller } = item;
    if (!resource.remove) unmet(`missing: an operation that removes ${resource.path}`);
    const headers = await this.matching(item, resource.remove);
    const response = await this.send(resource.remove, { at, caller, headers });
    if (!isSuccess(response)) return response;
    const isGone = async () => !this.isCleaningUp && [404, 410].includes((await this.find(item)).response.status);
    const isForGood = removesForGood(resource.remove) || (resource.read !== undefined && (await isGone()));
    const isBelow = (each: Item) => Object.entries(at).every(([name, value]) => each.at[name] === value);
    // What has a path of its own may stay.
    for (const each of [item, ...this.live.filter(isBelow)])
      this.removed.set(
        each,
        isForGood && (isAtOrBelow(each.resource.path, resource) || removesWith(resource.remove, each.resource)),
      );
    this.live = this.live.filter((each) => !this.removed.has(each));
    return response;
  }

  async matching(item: Omit<Item, 'response' | 'fields'>, baseline: Baseline): Promise<Headers> {
    const { etag } = headerOf(baseline, /^if-match$/i) ? (await this.find(item)).response.headers : {};
    return etag === undefined ? [] : [['If-Match', etag]];
  }

  /** Removes what was created, what belongs to an item before that; what cannot be removed stays. */
  async cleanUp(items: readonly Item[] = this.items): Promise<void> {
    this.isCleaningUp = true;
    const left = items.filter((item) => item.resource.remove && !this.removed.has(item));
    for (const resource of this.run.resources.toReversed()) {
      const own = left.filter((item) => item.resource.path === resource.path);
      await together(own, (item) => this.remove(item).catch(() => undefined));
    }
    this.isCleaningUp = false;
  }

  async #owner(resource: Resource, caller: Caller): Promise<Item> {
    const key = `${caller} ${resource.path}`;
    const item = this.#owners.get(key) ?? (await this.#createUsual(resource, caller));
    this.#owners.set(key, item);
    return item;
  }

  /** What others refer to is as the document shows it, if the server accepts that: another state may be no good for them. */
  async #createUsual(resource: Resource, caller: Caller): Promise<Item> {
    const usual = (this.run.freedoms.get(resource.path) ?? freedoms[0]).replace('any field', 'given fields') as Freedom;
    const { item } = await this.tryCreate(resource, await this.body(resource, undefined, usual, caller), { caller });
    return item ?? this.create(resource, { caller });
  }

  /** The items that others refer to. */
  get owners(): Item[] {
    return [...this.#owners.values()];
  }

  /** A value with identifiers of items that exist where it names others, at any depth. @param fields the schemas of its fields */
  async withReferences(
    value: unknown,
    resource: Resource,
    caller: Caller = 'own',
    fields: Readonly<Record<string, Schema>> = resource.sent.properties,
  ): Promise<unknown> {
    if (Array.isArray(value)) {
      const all = await Promise.all(value.map((each) => this.withReferences(each, resource, caller, fields)));
      // Two that are to name different items may not name the same one.
      const isRepeated = (each: unknown, at: number) =>
        isObject(each) &&
        this.referencesIn(each, resource, { fields }).some(([name]) =>
          all.slice(0, at).some((other) => isObject(other) && other[name] === each[name]),
        );
      return all.filter((each, at) => !isRepeated(each, at));
    }
    if (!isObject(value)) return value;
    const references = new Map(this.referencesIn(value, resource, { fields }));
    const referring: Fields = {};
    for (const [name, each] of Object.entries(value)) {
      const other = references.get(name);
      const [first] = [each].flat();
      const id = other && (await this.idOf(other, caller, String(first)));
      const { [name]: schema = {} } = fields;
      referring[name] =
        id === undefined
          ? await this.withReferences(each, resource, caller, fieldsOf(schema.items ?? schema))
          : Array.isArray(each)
            ? [typed(first, id)]
            : typed(first, id);
    }
    return referring;
  }

  /** The fields that name an item of another resource, or several. @param isOwn whether they may name one of the same */
  referencesIn(
    value: Fields,
    resource: Resource,
    {
      isNaming = this.run.freedoms.get(resource.path)?.endsWith('named items') === true,
      fields = resource.sent.properties,
      isOwn = false,
    } = {},
  ): [name: string, of: Resource][] {
    const { resources } = this.run;
    const isKnown = ({ path, create, list }: Resource) => (isOwn || path !== resource.path) && (create ?? list);
    const others = resources.filter(isKnown);
    return Object.entries(value).flatMap(([name, each]): [string, Resource][] => {
      const [first] = [each].flat();
      // As in `room` or `fromRoomId`.
      const isEnd = (of: string) =>
        new RegExp(`_${of}_id$|[a-z]${of.charAt(0).toUpperCase()}${of.slice(1)}Id$`).test(name);
      const isNamed = (kind: Resource) => isNaming && (singular(plainName(name)) === kind.name || isEnd(kind.name));
      const other = others.find((kind) => refersTo(kind, name, fields[name], resources) || isNamed(kind));
      return other && ['string', 'number'].includes(typeof first) ? [[name, other]] : [];
    });
  }

  /** What is created from now on refers to other items. */
  forgetReferences({ path, create }: Resource): void {
    const places = [path, create?.operation.path ?? path];
    for (const [key, { resource }] of this.#owners)
      if (!places.some((each) => isAtOrBelow(each, resource))) this.#owners.delete(key);
  }

  /**
   * The identifier of an item that there is; undefined if it can be neither created nor found, or refers to what is to refer to it.
   * @param given which stays if the item is listed, and cannot be created
   */
  async idOf(resource: Resource, caller: Caller = 'own', given?: string): Promise<string | undefined> {
    const { name, value } = resource.parameter;
    if ((!resource.create || this.namesGiven) && value !== undefined)
      return typeof value === 'string' ? value : JSON.stringify(value);
    const known = this.#owners.get(`${caller} ${resource.path}`);
    if (known || this.#sought.has(resource)) return known?.id;
    this.#sought.add(resource);
    try {
      if (resource.create) return (await this.#owner(resource, caller)).id;
      const { at, ids } = await this.#listed(resource, caller);
      const { [name]: text } = at;
      return given !== undefined && ids.includes(given) ? given : text && decodeURIComponent(text);
    } finally {
      this.#sought.delete(resource);
    }
  }

  /** An identifier that a client may choose, and that nothing has. */
  chosenId(schema: Schema = {}): string {
    this.run.identifiers += 1;
    const { type = 'string', format, pattern, maxLength = Infinity } = schema;
    const { tag, identifiers } = this.run;
    if (format === 'uuid') return crypto.randomUUID();
    if (type !== 'string') return String(1_000_000 + identifiers);
    const usual = `${tag}${identifiers}`.slice(-maxLength);
    const isValid = oracleOf(schema);
    const others = [
      `${usual}@example.com`,
      ...(pattern === undefined ? [] : textsMatching(pattern, Number.parseInt(tag, 36) + identifiers, 20)),
    ];
    return [usual, ...others].find((text) => isValid(text).length === 0) ?? usual;
  }
}
