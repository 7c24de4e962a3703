/** What the items of a server should be after each step. All that is live is found so, and listed once; what was removed is gone. */
import { isObject, parsed, told } from '../oracle/json.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { HttpResponse } from '../run/model.ts';
import { Client } from './client.ts';
import { differing, expectFields, expectNoSecret, fail, isSuccess, type Item, together } from './exchange.ts';
import { type Resource } from './resources.ts';
import { type Fields, isCompared, isKept, listedItems, mayBeNormalised, pick, plainName, valueAt } from './values.ts';
import { entityFields, entityIn, identifierIn, locatedAt } from './identity.ts';

/** Fields that a server sets once. */
const setOnce = /^(uid|uuid|(creation|create|created|added|inserted)(at|on|time|date|timestamp)?)$/;

/** What the server changes with an item, and clients do not send. */
const marks = /^(version|revision|(last)?(updated|modified|changed)(at|on|time|date)?)$/;

/** What an update has found and sent. */
interface Applied {
  readonly old: Fields;
  readonly made: Fields;
  readonly seen: HttpResponse;
}

/** A client that knows what the items should be which it has added. */
export class Model extends Client {
  /** All that were added, live or gone. */
  made: Item[] = [];

  async add(resource: Resource, at?: Item['at']): Promise<Item> {
    return this.keep(await this.create(resource, at ? { at } : {}));
  }

  /** From now on, an item should be found as it is. */
  keep(item: Item): Item {
    this.made.push(item);
    this.live.push(item);
    return item;
  }

  get #gone(): Item[] {
    return this.made.filter((item) => this.removed.get(item) === true);
  }

  /** @throws {Error} unless each item has an identifier of its own, and is what its response and its Location show */
  async expectCreated(): Promise<void> {
    for (const [index, item] of this.made.entries()) {
      const { resource, response, fields, id, at } = item;
      if (this.made.some((each, other) => other > index && each.id === id))
        fail(`the identifier ${id} is given twice`, response);
      const entity = entityIn(parsed(response.text), resource);
      if (entity) expectFields(resource, fields, { entity, response }, 'it was created', resource.create);
      const { name } = resource.parameter;
      const { [name]: located = at[name] ?? '' } = locatedAt(resource, response);
      if (located !== at[name]) await this.expectRead({ ...item, at: { ...at, [name]: located } });
      await this.#expectLocated(item);
    }
  }

  /** @throws {Error} if a Location that is of no documented path leads to nothing */
  async #expectLocated({ resource, response }: Item): Promise<void> {
    const { location } = response.headers;
    const read = resource.read ?? resource.list;
    if (location === undefined || !read || Object.keys(locatedAt(resource, response)).length > 0) return;
    const base = new URL(this.baseUrl);
    const { origin, pathname } = new URL(location, base);
    if (origin !== base.origin) return;
    const path = pathname.startsWith(base.pathname)
      ? pathname.slice(base.pathname.replace(/\/$/, '').length)
      : pathname;
    const followed = await this.send(read, { path });
    if ([404, 410].includes(followed.status)) fail(`Location ${location} leads to ${followed.status}`, followed);
  }

  /** Replaces or changes an item, while nothing else does. @returns whether the server has accepted it */
  async apply(item: Item, update: Baseline, made: Fields): Promise<boolean> {
    const { resource } = item;
    const { entity: old = {}, response: seen } = await this.find(item);
    if (update === resource.change) item.fields = ownFields(resource, old);
    const updated = await this.update(item, update, made);
    if (!updated) return false;
    const when = `an update of ${Object.keys(made).join(' and ')}`;
    const { entity: now, response } = await this.expectRead(item, when);
    const [before, after] = [old, now].map(({ metadata, ...each }) => ({
      ...(isObject(metadata) && metadata),
      ...each,
    }));
    for (const [name, value] of Object.entries(before ?? {}))
      if (setOnce.test(plainName(name)) && typeof value === 'string' && !isKept(value, after?.[name]))
        fail(`${name} is ${told(after?.[name])} after ${when}, and was ${told(value)}`, response);
    const { etag } = updated.headers;
    const { etag: seenNow = etag } = response.headers;
    if (etag !== seenNow && etag !== undefined)
      fail(`the ETag is ${seenNow} after ${when}, which has responded with ${etag}`, response);
    // A server may leave times out of an ETag.
    const hasChanged = !isKept(ownFields(resource, now), ownFields(resource, old));
    if (hasChanged) await this.#expectOtherValidator(item, seen.headers['etag'], response);
    if (hasChanged) await this.#expectOtherMarks(item, update, { old, made, seen });
    return true;
  }

  /** @throws {Error} if a version or a time of the last change stays, also after a second in which times may be the same */
  async #expectOtherMarks(item: Item, update: Baseline, { old, made, seen }: Applied): Promise<void> {
    const { resource } = item;
    const { etag } = seen.headers;
    const shown = entityFields(resource);
    const isOwn = (name: string) => shown[name] !== undefined && !resource.sent.properties[name];
    const isMark = ([name, value]: [string, unknown]) =>
      marks.test(plainName(name)) && isOwn(name) && /^(\d+|.*T\d\d:.*)$/.test(String(value));
    const names = Object.entries(old).flatMap((entry) => (isMark(entry) ? [entry[0]] : []));
    const isSame = ({ entity: now = {}, response }: Awaited<ReturnType<Client['find']>>) =>
      names.find((name) => isKept(old[name], now[name])) ??
      (etag !== undefined && etag === response.headers['etag'] ? 'ETag' : undefined);
    if (isSame(await this.find(item)) === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const isChange = update === resource.change;
    const body = isChange ? pick(ownFields(resource, old), Object.keys(made)) : await this.body(resource, update);
    if (!(await this.update(item, update, body))) return;
    const now = await this.find(item);
    const name = isSame(now);
    const value = name === 'ETag' ? etag : now.entity?.[name ?? ''];
    if (name !== undefined) fail(`${name} is still ${told(value)} after two changes`, now.response);
  }

  /** @throws {Error} if what has changed has the same ETag, or is not sent to whoever has the one before */
  async #expectOtherValidator({ resource: { read }, at }: Item, stale: string | undefined, now: HttpResponse) {
    if (stale === undefined || !read || stale.startsWith('W/')) return;
    if (now.headers['etag'] === stale) fail(`the ETag is still ${stale} after a change`, now);
    const again = await this.send(read, { at, headers: [['If-None-Match', stale]] });
    if (again.status === 304) fail('expected the changed representation, got 304', again);
  }

  /** @throws {Error} unless each item but one reads as it should be */
  async expectOthers(one: Item | undefined, when: string): Promise<void> {
    const others = this.live.filter((each) => each !== one);
    await together(others, (each) => this.expectRead(each, when));
  }

  /** @throws {Error} unless each item is as it should be. @returns whether all lists could be read whole */
  async expectAll(when: string): Promise<boolean> {
    await this.expectOthers(undefined, when);
    await together(this.#gone, (item) => this.#expectGone(item));
    const whole: boolean[] = [];
    for (const resource of new Set(this.live.map((item) => item.resource)))
      whole.push(await this.expectListed(resource));
    return !whole.includes(false);
  }

  /** @throws {Error} if an item is still read or listed, or another one with its identifier */
  async #expectGone({ id, at, resource }: Item): Promise<void> {
    const { read, list, file } = resource;
    for (const by of [read, list, file].filter((each) => each !== undefined)) {
      const response = await this.send(by, { at });
      const body = isSuccess(response) ? parsed(response.text) : undefined;
      const isFound =
        by === read
          ? entityIn(body, resource) !== undefined
          : by === file
            ? isSuccess(response)
            : listedItems(body)?.some((each) => identifierIn(each, resource) === id);
      if (isFound === true || response.status >= 500)
        fail(`expected ${id} to be gone after its removal, got ${response.status}`, response);
    }
  }

  /** @throws {Error} unless each item is listed once and as it should be, and what was removed is not. @returns whether the list could be read whole */
  async expectListed(resource: Resource): Promise<boolean> {
    const { list, query, parameter } = resource;
    const all = this.live.filter((item) => item.resource === resource);
    const [one] = all;
    if (!list || !one) return true;
    const { ids, items, complete, last } = await this.listAll(resource, { at: one.at });
    const isListed = ({ id, resource: of }: Item) => of === resource && ids.includes(id);
    const gone = this.#gone.find((item) => isListed(item) && !this.live.some(({ id }) => id === item.id));
    if (gone) fail(`expected ${gone.id} not to be listed after its removal`, last);
    const isBeside = ({ at }: Item) =>
      Object.entries(one.at).every(([name, value]) => name === parameter.name || at[name] === value);
    const wanted = all.filter(isBeside);
    if (query?.isSelective && !wanted.some(isListed)) return true;
    for (const item of wanted) {
      const { id, fields } = item;
      const count = ids.filter((each) => each === id).length;
      if (count === 0 && !complete) return false;
      if (count === 0 && (await this.#isLeftOut(item))) continue;
      if (count !== 1) fail(`expected ${id} once in the list, found it ${count} times`, last);
      const entity = items[ids.indexOf(id)] ?? {};
      expectNoSecret(resource, fields, { entity, response: last });
      const name = differing(resource, pick(fields, Object.keys(entity)), entity, list);
      if (name !== undefined)
        fail(`${name} of ${id} is listed as ${told(entity[name])}, and is ${told(fields[name])}`, last);
    }
    return true;
  }

  /** Whether an item has not the value by which its list is filtered unless another one is asked for, as an issue that is not open. */
  async #isLeftOut(item: Item): Promise<boolean> {
    const usual = (item.resource.query?.filters ?? []).filter(({ schema }) => schema.default !== undefined);
    const { entity = {} } = usual.length > 0 ? await this.find(item) : {};
    return usual.some(({ field = '', schema }) => ![valueAt(entity, field)].flat().includes(schema.default));
  }
}

/** Fields of an entity that clients may write, without those that the server may change. */
export function ownFields({ sent }: Pick<Resource, 'sent'>, entity: Fields): Fields {
  const own = Object.entries(sent.properties).flatMap(([name, field]): [string, unknown][] => {
    const { [name]: value } = entity;
    const { properties } = field;
    const isOwn = field['readOnly'] !== true && !mayBeNormalised(field) && !isCompared(name);
    if (!isOwn || !Object.hasOwn(entity, name)) return [];
    return [[name, properties && isObject(value) ? ownFields({ sent: { properties } }, value) : value]];
  });
  return Object.fromEntries(own);
}
