/** What the items of a server should be after each step. All that is live is found so, and listed once; what was removed is gone. */
import {
  entityIn,
  type Fields,
  fieldsOf,
  listedSchema,
  locatedAt,
  parsed,
  plainName,
  type Resource,
} from './resources.ts';
import type { Baseline } from '../plan/baseline.ts';
import { type Client, expectFields, fail, identified, isSuccess, type Item, requestSchema, told } from './client.ts';
import { isSelective } from './query-roles.ts';
import { changedFields, isKept, mayBeNormalised } from './values.ts';

/** An item with the fields that it should have. */
export interface Live {
  readonly item: Item;
  fields: Fields;
}

/** Fields that a server sets once. */
const setOnce = /^(created|added|inserted)(at|on|time|date)?$/;

export class Model {
  readonly made: Item[] = [];
  live: Live[] = [];
  readonly #gone: Item[] = [];
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async create(resource: Resource, at?: Item['at']): Promise<Live> {
    const item = await this.#client.create(resource, at ? { at } : {});
    const live = { item, fields: item.sent };
    this.made.push(item);
    this.live.push(live);
    return live;
  }

  /** @throws {Error} unless each item has an identifier of its own, and is what its response and its Location show */
  async expectCreated(): Promise<void> {
    for (const [index, item] of this.made.entries()) {
      const { resource, response } = item;
      if (this.made.some(({ id }, other) => other > index && id === item.id))
        fail(`the identifier ${item.id} is given twice`, response);
      const entity = entityIn(parsed(response), resource);
      if (entity) expectFields(resource, item.sent, entity, response, 'it was created', resource.create);
      const { name } = resource.parameter;
      const { [name]: located } = locatedAt(resource, response);
      if (located !== undefined && located !== item.at[name])
        await this.#client.expectRead({ ...item, at: { ...item.at, [name]: located } });
    }
  }

  /** Replaces or changes an item, while nothing else does. @returns whether the server has accepted it */
  async update(live: Live, update: Baseline, made: Fields): Promise<boolean> {
    const { item } = live;
    const { entity: old = {}, response: seen } = await this.#client.find(item);
    if (update === item.resource.change) live.fields = ownFields(item.resource, old);
    if (!(await this.updateBeside(live, update, made))) return false;
    const when = `an update of ${Object.keys(made).join(' and ')}`;
    const { entity: now, response } = await this.#client.expectRead(item, live.fields, when);
    for (const [name, value] of Object.entries(old))
      if (setOnce.test(plainName(name)) && typeof value === 'string' && !isKept(value, now[name]))
        fail(`${name} is ${told(now[name])} after ${when}, and was ${told(value)}`, response);
    // A server may leave times out of an ETag.
    const hasChanged = !isKept(ownFields(item.resource, now), ownFields(item.resource, old));
    if (hasChanged) await expectOtherValidator(this.#client, item, seen.headers['etag'], response);
    return true;
  }

  /** Replaces or changes an item while there may be other requests. @returns whether the server has accepted it */
  async updateBeside(live: Live, update: Baseline, made: Fields): Promise<boolean> {
    const { item } = live;
    const body = identified(made, item);
    if (!(await this.#client.update(item, update, body))) return false;
    live.fields = update === item.resource.change ? { ...live.fields, ...body } : body;
    return true;
  }

  /** Removes an item, and with it what belongs to it. */
  async remove({ item }: Live): Promise<Item['response']> {
    const response = await this.#client.remove(item);
    if (!isSuccess(response)) return response;
    this.#gone.push(item);
    const isBelow = (each: Item) => Object.entries(item.at).every(([name, value]) => each.at[name] === value);
    this.live = this.live.filter((each) => each.item !== item && !isBelow(each.item));
    return response;
  }

  /** @throws {Error} unless each item but one reads as it should be */
  async expectOthers(one: Live | undefined, when: string): Promise<void> {
    for (const each of this.live) if (each !== one) await this.#client.expectRead(each.item, each.fields, when);
  }

  /** @throws {Error} unless each item is as it should be. @returns whether all lists could be read whole */
  async expectAll(when: string): Promise<boolean> {
    await this.expectOthers(undefined, when);
    for (const item of this.#gone) {
      const { entity, response } = await this.#client.find(item);
      if (entity ?? response.status >= 500)
        fail(`expected ${item.id} to be gone after its removal, got ${response.status}`, response);
    }
    const resources = [...new Set(this.live.map(({ item }) => item.resource))];
    const whole: boolean[] = [];
    for (const resource of resources) whole.push(await this.expectListed(resource));
    return !whole.includes(false);
  }

  /** @throws {Error} unless each item is listed once and as it should be, and what was removed is not. @returns whether the list could be read whole */
  async expectListed(resource: Resource): Promise<boolean> {
    const [one, ...others] = this.live.filter(({ item }) => item.resource === resource);
    const { list } = resource;
    if (!list || !one) return true;
    const { ids, items, complete, last } = await this.#client.listAll(resource, { at: one.item.at });
    const isGone = ({ id, resource: of }: Item) =>
      of === resource && ids.includes(id) && !this.live.some(({ item }) => item.id === id);
    const gone = this.#gone.find(isGone);
    if (gone) fail(`expected ${gone.id} not to be listed after its removal`, last);
    const isBeside = ({ item: { at } }: Live) =>
      Object.entries(one.item.at).every(([name, value]) => name === resource.parameter.name || at[name] === value);
    const wanted = [one, ...others.filter(isBeside)];
    if (isSelective(list) && !wanted.some(({ item }) => ids.includes(item.id))) return true;
    for (const { item, fields } of wanted) {
      const count = ids.filter((id) => id === item.id).length;
      if (count === 0 && !complete) return false;
      if (count !== 1) fail(`expected ${item.id} once in the list, found it ${count} times`, last);
      const entity = items[ids.indexOf(item.id)] ?? {};
      const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(entity, name)));
      const [name] = changedFields(shown, entity, requestSchema(resource), listedSchema(list.operation) ?? {});
      if (name !== undefined)
        fail(`${name} of ${item.id} is listed as ${told(entity[name])}, and is ${told(fields[name])}`, last);
    }
    return true;
  }
}

/** Fields of an entity that clients may write, without those that the server may change. */
export function ownFields(resource: Resource, entity: Fields): Fields {
  const fields = fieldsOf(requestSchema(resource));
  const isOwn = ([name]: [string, unknown]) => {
    const { [name]: field } = fields;
    return field && field['readOnly'] !== true && !mayBeNormalised(field);
  };
  return Object.fromEntries(Object.entries(entity).filter(isOwn));
}

/** @throws {Error} if what has changed has the same ETag, or is not sent to whoever has the one before */
async function expectOtherValidator(
  client: Client,
  item: Item,
  stale: string | undefined,
  now: Item['response'],
): Promise<void> {
  const { read } = item.resource;
  if (stale === undefined || !read || stale.startsWith('W/')) return;
  if (now.headers['etag'] === stale) fail(`the ETag is still ${stale} after a change`, now);
  const again = await client.send(read, { at: item.at, headers: [['If-None-Match', stale]] });
  if (again.status === 304) fail('expected the changed representation, got 304', again);
}
