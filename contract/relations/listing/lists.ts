/** Lists of items that the suite has created, and relations of all of a list: sorting sorts, and items have the fields that are asked for. */
import type { Parameter } from '../../document/model.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { textsOfParameter } from '../../oracle/parameters.ts';
import { isObject, told } from '../../oracle/json.ts';
import { UnmetPreconditionError } from '../../run/errors.ts';
import type { HttpResponse } from '../../run/model.ts';
import type { Client } from '../client.ts';
import { amountIn, fail, type Item, type Query, requireNoExample, together, unmet } from '../exchange.ts';
import { type Order, type QueryRoles } from './query-roles.ts';
import { type Resource } from '../resources.ts';
import { type Fields } from '../values.ts';

/** How many items a list has at least. */
export const fewest = 6;
const mostAtOnce = 8;

export type Populated = Awaited<ReturnType<typeof populate>>;

/**
 * @returns `own`: the listed items of those that were created, if the document says how, or all
 * @throws {UnmetPreconditionError} if the list has too few items to tell, or is an example
 */
export async function populate(client: Client, resource: Resource, count = fewest, made: readonly Item[] = []) {
  const items = [...made];
  const { list, query: roles } = resource as { list: Baseline; query: QueryRoles };
  while (resource.create && items.length < count) {
    // What refers to another item is told apart by that.
    if (items.length === Math.ceil(fewest / 2)) client.forgetReferences(resource);
    const next = Math.min(count - items.length, items.length < fewest ? 1 : mostAtOnce);
    const created = await Promise.all(Array.from({ length: next }, () => client.create(resource))).catch(whyNoMore);
    items.push(...created);
    if (created.length === 0) break;
  }
  const at = items.at(-1)?.at ?? (await client.locate(list.operation.path, 'own', resource));
  // After a refusal, others may have been created elsewhere.
  const owners = Object.keys(at).filter((name) => name !== resource.parameter.name);
  const isBeside = ({ at: place }: Item) => owners.every((name) => place[name] === at[name]);
  items.splice(0, items.length, ...items.filter(isBeside));
  const read = (query: Query, size?: number, isSure = false) => client.listAll(resource, { at, query, size, isSure });
  const isLive = !resource.create && (await addUnnamed(client, list, at, count));
  const all = await read({});
  if (all.ids.length < 2) unmet('missing: a list of at least two items');
  if (items.length === 0 && !isLive) requireNoExample(list, all.last);
  const isListed = ({ id }: Item) => all.ids.includes(id);
  const lost = items.find((item) => !isListed(item));
  if (lost && all.complete && items.some(isListed) && !roles.isSelective)
    fail(`${lost.id} is not in the list`, all.last);
  const own = all.items.filter((_item, index) => items.some(({ id }) => id === all.ids[index]));
  return { list, roles, items, at, all, own: own.length > 0 ? own : all.items, read };

  /** There may be a limit of how many items there can be. */
  function whyNoMore(error: unknown): Item[] {
    if (error instanceof UnmetPreconditionError && items.length >= fewest) return [];
    throw error;
  }
}

/** Adds to a list whose items have no identifier, if the document says how. @returns whether the list has changed */
async function addUnnamed(client: Client, list: Baseline, at: Item['at'], count: number): Promise<boolean> {
  const isAdding = ({ operation: { path, method, responses }, payload }: Baseline) =>
    path === list.operation.path && method === 'post' && responses['201'] !== undefined && payload?.valid !== undefined;
  const add = client.run.baselines.find(isAdding);
  if (!add) return false;
  const { text } = await client.send(list, { at });
  for (let added = 0; added < count; added += 1) await client.send(add, { at });
  return (await client.send(list, { at })).text !== text;
}

/** Of fields that are asked for, all that the items have are shown, and no others but the identifier. */
export async function checkFields(client: Client, resource: Resource): Promise<void> {
  const { all, roles, read } = await populate(client, resource);
  const { shown } = roles as { shown: Parameter };
  const names = (shown.schema.items?.enum ?? []).map(String);
  for (const asked of [names.slice(0, 2), names.slice(-1)]) {
    const { items, last } = await read({ [shown.name]: textsOfParameter(shown, asked) ?? [] });
    const lost = asked.find((name) => all.items.every((each) => name in each) && !items.every((each) => name in each));
    const stray = names.find((name) => name !== 'id' && !asked.includes(name) && items.some((each) => name in each));
    if (lost ?? stray) fail(`${lost ?? stray} is ${lost ? 'lost' : 'shown'} with ${shown.name}=${asked.join()}`, last);
  }
}

export async function checkOrders(client: Client, resource: Resource): Promise<void> {
  const { items, all, roles, read } = await populate(client, resource);
  const ids = items.length > 0 ? items.map(({ id }) => id) : all.ids;
  await together(roles.orders, async (order) => {
    for (const size of [undefined, 2]) {
      const found = await read(order.query, size);
      const own = found.items.filter((_item, index) => ids.includes(found.ids[index] ?? ''));
      expectOrder(own, order, found.last, order.query);
    }
  });
}

/** @throws {Error} if an item stands before another one that should stand before it */
export function expectOrder(
  items: readonly Fields[],
  { field, descending, ranks, absent }: Order,
  last: HttpResponse,
  query: Query,
) {
  const isAbsent = (each: Fields) => each[field] === null || each[field] === undefined;
  const all = items.filter((each) => !isAbsent(each)).map((each) => each[field]);
  const isPlaced = (at: number) => (absent === 'first' ? at < items.length - all.length : at >= all.length);
  if (absent && items.some((each, at) => isAbsent(each) !== isPlaced(at)))
    fail(`those without ${field} do not come ${absent}${shownQuery(query)}`, last);
  // Amounts of money are compared with those of the same currency.
  const kindOf = (value: unknown) => isObject(value) && JSON.stringify({ ...value, amount: 0, value: 0 });
  for (const shown of Map.groupBy(all, kindOf).values()) {
    const values = ranks ? shown.map((value) => ranks.indexOf(value)) : shown;
    const wrong = values.findIndex((value, index) => {
      const next = values[index + 1] ?? value;
      return !(descending ? isInOrder(next, value) : isInOrder(value, next));
    });
    if (wrong >= 0)
      fail(`${field} ${told(shown[wrong])} comes before ${told(shown[wrong + 1])}${shownQuery(query)}`, last);
  }
}

/** Whether one value may stand before another, in any usual order of texts. */
function isInOrder(one: unknown, other: unknown): boolean {
  const [first, second] = [scaleOf(one), scaleOf(other)];
  if (first !== undefined && second !== undefined) return first <= second;
  if (typeof one !== 'string' || typeof other !== 'string') return true;
  return one <= other || one.toLowerCase() <= other.toLowerCase() || one.localeCompare(other) <= 0;
}

export function shownQuery(query: Query): string {
  const pairs = Object.entries(query).map(([name, values]) => `${name}=${String(values)}`);
  return pairs.length === 0 ? '' : ` with ${pairs.join('&')}`;
}

/** A number, a time or an amount of money as one. */
export function scaleOf(value: unknown): number | undefined {
  const amount = amountIn(value);
  if (!Number.isNaN(amount)) return amount;
  if (typeof value !== 'string') return undefined;
  const time = /^\d{4}-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
