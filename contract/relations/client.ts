/** What the relations do to a server: create, update and remove items, and clean up. */
import type { Baseline } from '../plan/baseline.ts';
import type { Headers } from '../dimensions/credential-scheme.ts';
import type { Schema } from '../document/model.ts';
import { isObject, parsed } from '../oracle/json.ts';
import { oracleOf } from '../oracle/schema.ts';
import type { HttpResponse } from '../run/model.ts';
import {
  type Caller,
  fail,
  givenIn,
  headerOf,
  identified,
  isSuccess,
  type Item,
  refusedWith,
  requireNoExample,
  type Sending,
  together,
  typed,
  unmet,
} from './exchange.ts';
import { Finder } from './finder.ts';
import { actionsOf, stepsOf } from './steps.ts';
import { belowOf, isAtOrBelow, isBelowParent, isMergePatch, type Resource, tellsCreation } from './resources.ts';
import { fieldsOf, requiredFieldsOf } from '../document/schemas.ts';
import {
  type Fields,
  type Freedom,
  freedoms,
  isCompared,
  isMoving,
  mergedWith,
  pick,
  plainName,
  rising,
  variantOf,
} from './values.ts';
import { entityIn, identifierField, identifierIn, locatedAt, pathNames, placeOf } from './identity.ts';

/** The most pairs of steps that are tried to bring an owner into a state. */
const mostPairs = 30;

/** What an item should be after a change, which may bring it into another state. */
function changedBy(change: Baseline, item: Fields, body: Fields): Fields {
  const fields = Object.fromEntries(Object.entries(item).filter(([name]) => !isMoving(name)));
  return isMergePatch(change) ? (mergedWith(fields, body, change.payload?.schema) as Fields) : { ...fields, ...body };
}

/** The schema of the identifier that a body has; undefined if it has none. */
function identifierSchema(body: Fields, resource: Resource, schema: Schema): Schema | undefined {
  const { metadata } = body;
  const own = identifierField(body, resource);
  if (own !== undefined) return fieldsOf(schema)[own];
  const { metadata: inner = {} } = fieldsOf(schema);
  return isObject(metadata) && !resource.isSingle ? identifierSchema(metadata, resource, inner) : undefined;
}

export class Client extends Finder {
  /** The items that should be found as they are. */
  live: Item[] = [];
  /** Those to clean up. */
  readonly items: Item[] = [];
  /** By item, whether it was removed for good. */
  readonly removed = new Map<Item, boolean>();
  readonly #retried = new Set<Resource>();

  /** A body with values of its own, and with identifiers of items that it refers to. */
  async body(
    resource: Resource,
    baseline = resource.create as Baseline,
    freedom = this.run.freedoms.get(resource.path),
    caller: Caller = 'own',
  ): Promise<Fields> {
    const { schema = {}, valid, textOf = JSON.stringify } = baseline.payload ?? baseline.form ?? {};
    const count = (this.run.bodies.get(resource.path) ?? 0) + 1;
    this.run.bodies.set(resource.path, count);
    const chosen = freedom ?? freedoms[0];
    const isAny = chosen.startsWith('any field');
    const made = variantOf(schema, valid, count, this.run.tag, chosen);
    // A form has no field without a value, and a version that a document shows is that of another item.
    const isSent = (name: string) => !isCompared(name) || requiredFieldsOf(schema).includes(name);
    const names = Object.keys(made).filter((name) => isSent(name) && textOf({ [name]: made[name] }) !== undefined);
    const body = pick(made, names);
    const of = identifierSchema(body, resource, schema);
    const own = of ? identified(body, { resource, id: this.chosenId(of) }) : body;
    const optional = isAny && count % 2 === 0 ? this.#optionalReferences(own, resource, schema) : {};
    if (this.run.asGiven.has(resource.path) && caller === 'own') return own;
    const referring = await this.withReferences({ ...own, ...optional }, resource, caller);
    return oracleOf(schema)(referring).length > 0 ? own : (referring as Fields);
  }

  /** Fields that a body leaves out, and that may name an item that the suite can create. */
  #optionalReferences(body: Fields, resource: Resource, schema: Schema): Fields {
    const absent = Object.entries(fieldsOf(schema)).filter(
      ([name, { type, readOnly }]) => type === 'string' && readOnly !== true && !Object.hasOwn(body, name),
    );
    const texts = Object.fromEntries(absent.map(([name]) => [name, '']));
    const known = this.referencesIn(texts, resource, { isNaming: false }).filter(([, other]) => other.create);
    return Object.fromEntries(known.map(([name]) => [name, '']));
  }

  /** @throws {UnmetPreconditionError} if the server accepts no body that the suite can make */
  async create(resource: Resource, sending: Sending = {}, naming: Fields = {}): Promise<Item> {
    const known = this.run.freedoms.get(resource.path);
    let [last, invalid]: (HttpResponse | undefined)[] = [];
    // A value that must be unique may have been taken, or one alternative of several be refused.
    const tries: readonly Freedom[] = known ? [known, known, known, known, rising] : freedoms;
    for (const freedom of tries) {
      if (known && known !== rising && freedom === rising && last?.status !== 409) break;
      this.run.freedoms.set(resource.path, freedom);
      const body = await this.body(resource, undefined, freedom, sending.caller);
      for (const [name, id] of Object.entries(naming)) body[name] = typed(body[name], String(id));
      const { item, response } = await this.tryCreate(resource, body, sending);
      if (item) return item;
      last = response;
      if (last.status >= 500) fail(`a valid request gets ${last.status}`, last);
      // What it refers to may have one already.
      if (last.status === 409) this.forgetReferences(resource);
      else invalid ??= last;
    }
    if (known) this.run.freedoms.set(resource.path, known);
    else this.run.freedoms.delete(resource.path);
    const ready = last?.status === 409 && !sending.at ? await this.#createInReady(resource, sending.caller) : undefined;
    if (ready) return ready;
    const given = Object.keys(naming).length === 0 && (await this.#createAsGiven(resource, sending));
    if (given) return given;
    // An owner of another kind may accept it.
    if (!sending.at && isBelowParent(resource) && !this.#retried.has(resource)) {
      this.#retried.add(resource);
      this.forgetOwners(({ path }) => path === resource.parent?.path);
      return this.create(resource, sending, naming);
    }
    const { operationId } = (resource.create as Baseline).operation;
    refusedWith(`a body of ${operationId} that the server accepts`, invalid ?? last);
  }

  /** Creates an item that refers to what the tester's body names: what is new may not do, as an event that is not published yet. */
  async #createAsGiven(resource: Resource, sending: Sending): Promise<Item | undefined> {
    const { freedoms: chosen, asGiven } = this.run;
    if (asGiven.has(resource.path) || (sending.caller ?? 'own') !== 'own') return undefined;
    asGiven.add(resource.path);
    for (const freedom of ['given texts', 'none'] as const) {
      const { item } = await this.tryCreate(resource, await this.body(resource, undefined, freedom), sending);
      if (!item) continue;
      chosen.set(resource.path, freedom);
      return item;
    }
    asGiven.delete(resource.path);
    return undefined;
  }

  /** Creates an item whose owner must be in another state before, as a published one; undefined if there is no such state. */
  async #createInReady(resource: Resource, caller: Caller = 'own'): Promise<Item | undefined> {
    const { parent: owner } = resource;
    if (!owner?.create || !isBelowParent(resource) || this.run.readying.has(owner.path)) return undefined;
    const forget = () => {
      this.forgetOwners(({ path, parent }) => [path, parent?.path].includes(owner.path));
    };
    const by = actionsOf(owner, this.run).filter((each) => each !== resource.create);
    const single = stepsOf(owner, by).map((step) => [step]);
    const double = single.flatMap(([one]) =>
      single.flatMap(([other]) => (one && other && one !== other ? [[one, other]] : [])),
    );
    for (const steps of [[], ...single, ...double.slice(0, mostPairs)]) {
      this.run.readying.set(owner.path, { steps, except: resource });
      forget();
      const { item } = await this.tryCreate(resource, await this.body(resource, undefined, 'none', caller), { caller });
      if (item) return item;
    }
    this.run.readying.delete(owner.path);
    forget();
    return undefined;
  }

  /** Brings an owner into the state in which what belongs to it can be created, with what else may belong to it. */
  async makeReady(item: Item): Promise<Item> {
    const { steps = [], except } = this.run.readying.get(item.resource.path) ?? {};
    const { at, caller, resource } = item;
    for (const below of except ? belowOf(resource, this.run) : [])
      if (below.create && below.path !== except?.path)
        await this.tryCreate(below, await this.body(below, undefined, 'none', caller), { at, caller });
    for (const { by, body } of steps) await this.send(by, { at, caller, body });
    return item;
  }

  /** Creates an item of an owner of its own, of a kind that accepts it. */
  async createBelow(resource: Resource, owner: Resource): Promise<Item> {
    for (const freedom of freedoms.slice(0, 3)) {
      const { at } = await this.makeReady(await this.create(owner));
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
    const hasBody = create.operation.requestBody !== undefined;
    // What an action makes of an item, as an order of a cart, it may make once.
    if (!hasBody && resource.parent) this.forgetOwners(({ path }) => path === resource.parent?.path);
    const place = this.run.asGiven.has(resource.path) ? givenIn(create.operation.parameters) : {};
    const isGiven = pathNames(create.operation.path).every((name) => name in place);
    const owner = sending.at ?? (isGiven ? place : await this.locate(create.operation.path, caller, resource));
    const chosen = create.operation.method === 'put' ? this.chosenId(parameter.schema) : undefined;
    const fields = chosen === undefined ? given : identified(given, { resource, id: chosen });
    const at = { ...owner, ...(chosen !== undefined && { [parameter.name]: chosen }) };
    const response = await this.send(create, { ...sending, at, ...(hasBody && { body: fields }) });
    if (!isSuccess(response) && response.status !== 202) return { response };
    // RFC 9110, section 9.3.4.
    if (chosen !== undefined && tellsCreation(create) && response.status !== 201)
      fail(`expected 201 for what did not exist, got ${response.status}`, response);
    const entity = entityIn(parsed(response.text), resource);
    const located = locatedAt(resource, response);
    const { [parameter.name]: last } = located;
    // What shows another thing, as a cart to which an article was added, has what the body names.
    const own = identifierField(fields, resource) ?? '';
    const isOfOther = plainName(own) === plainName(parameter.name) && entity !== undefined && !(own in entity);
    const named = isOfOther ? String(fields[own]) : entity && identifierIn(entity, resource);
    const id = chosen ?? named ?? (last && decodeURIComponent(last));
    if (id === undefined || (response.status === 202 && response.headers['location'] === undefined))
      unmet(`missing: the identifier of what ${create.operation.operationId} creates, in its response`);
    const text = placeOf(resource, id);
    const item = { resource, id, at: { ...owner, ...located, [parameter.name]: text }, fields, response, caller };
    this.items.push(item);
    if (response.status === 202 && !(await this.find(item)).entity) unmet('missing: what was accepted, to be read');
    // What one tenant gets of another is no example.
    if (caller === 'own') this.requireLive(create, fields, response);
    return { item: item as Item, response };
  }

  /** @throws {UnmetPreconditionError} if the server responds with an example, whatever it is sent */
  requireLive(baseline: Baseline, body: Fields, response: HttpResponse): void {
    const [sent, got] = [JSON.stringify(body), response.text + (response.headers['location'] ?? '')];
    const before = this.run.accepted.get(baseline);
    this.run.accepted.set(baseline, { sent, got });
    if (before && got !== '' && before.sent !== sent && before.got === got) requireNoExample(baseline, response);
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
    // What can still be read may have been put aside.
    const isSeen = !this.isCleaningUp && (resource.read ?? resource.list) !== undefined;
    const isForGood = !isSeen || (await this.find(item)).entity === undefined;
    const isBelow = (each: Item) => Object.entries(at).every(([name, value]) => each.at[name] === value);
    // What has a path of its own may stay.
    for (const each of [item, ...this.live.filter(isBelow)])
      this.removed.set(each, isForGood && isAtOrBelow(each.resource.path, resource));
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

  /** An item as the document shows it but for texts, if the server accepts that: another one may be no good for what refers to it, or acts on it. */
  async createAsShown(resource: Resource, caller: Caller = 'own'): Promise<Item> {
    const usual = (this.run.freedoms.get(resource.path) ?? freedoms[0]).replace(
      /(any|given) fields?/,
      'given texts',
    ) as Freedom;
    for (let tries = 0; tries < 3; tries += 1) {
      const freedom = tries < 2 ? usual : (usual.replace('texts', 'fields') as Freedom);
      const body = await this.body(resource, undefined, freedom, caller);
      const { item, response } = await this.tryCreate(resource, body, { caller });
      if (item) return this.makeReady(item);
      if (response.status !== 409) break;
      // What it refers to may be used up.
      this.forgetReferences(resource);
    }
    return this.makeReady(await this.create(resource, { caller }));
  }
}
