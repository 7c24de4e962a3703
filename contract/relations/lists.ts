/** Relations of lists: a limit limits, pages are disjoint and complete, a filter filters, sorting sorts, defaults hold. */
import type { Parameter } from '../document/model.ts';
import type { Baseline } from '../plan/baseline.ts';
import { textsOfParameter } from '../oracle/parameters.ts';
import { oracleOf } from '../oracle/schema.ts';
import { isObject, parsed, told } from '../oracle/json.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import type { HttpResponse } from '../run/model.ts';
import type { Client } from './client.ts';
import { amountIn, fail, type Item, type Query, requireNoExample, together, unmet } from './exchange.ts';
import { type Filter, nextLink, type Order, type QueryRoles } from './query-roles.ts';
import { identifierIn, type Resource } from './resources.ts';
import { fieldsOf } from '../document/schemas.ts';
import { type Fields, isFree, listedItems, objectsIn, ofAnyCase, plainName, valueAt } from './values.ts';

const fewest = 6;
/** How many items a list has when its limit is tried: a server may forget what is beyond a number. */
const many = 33;
const mostAtOnce = 8;
/** The most pairs of filters that are tried on an item. */
const mostPairs = 8;
/** The most items that are created to see a default of a limit. */
const mostForDefault = 60;

type Scalar = string | number | boolean;

type Populated = Awaited<ReturnType<typeof populate>>;

/**
 * @returns `own`: the listed items of those that were created, if the document says how, or all
 * @throws {UnmetPreconditionError} if the list has too few items to tell, or is an example
 */
async function populate(client: Client, resource: Resource, count = fewest, made: readonly Item[] = []) {
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
  const at = items[0]?.at ?? (await client.locate(list.operation.path, 'own', resource));
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
  const isAdding = ({ operation: { path, method, responses }, json }: Baseline) =>
    path === list.operation.path && method === 'post' && responses['201'] !== undefined && json?.valid !== undefined;
  const add = client.run.baselines.find(isAdding);
  if (!add) return false;
  const { text } = await client.send(list, { at });
  for (let added = 0; added < count; added += 1) await client.send(add, { at });
  return (await client.send(list, { at })).text !== text;
}

export async function checkLimit(client: Client, resource: Resource): Promise<void> {
  const { list, at, all, roles } = await populate(client, resource, many);
  const { limit, cursor } = roles.paging;
  for (const size of [1, 2, 3, 5, 10, 20]) {
    if (!limit || oracleOf(limit.schema)(size).length > 0) continue;
    const response = await client.send(list, { at, query: { [limit.name]: String(size) } });
    const { length: found = -1 } = listedItems(parsed(response.text)) ?? {};
    // With a cursor, a server may send a shorter page.
    const least = cursor ? 0 : Math.min(size, all.ids.length);
    if (found < least || found > size) fail(`expected ${size} of ${all.ids.length} items, got ${found}`, response);
  }
}

export async function checkPages(client: Client, resource: Resource): Promise<void> {
  const { list, own, roles, read, at } = await populate(client, resource);
  const filters = roles.filters.flatMap((filter) => {
    const [value] = filter.comparison === 'equal' ? valuesFor(filter, own) : [];
    return value === undefined ? [] : [{ [filter.key]: String(value) }];
  });
  const orders = roles.orders.map(({ query }) => query);
  const checkQuery = async (query: Query) => {
    const whole = await read(query);
    const shown = shownQuery(query);
    // All of them on one page make it the last one, though it is full.
    const sizes = shown === '' ? [2, 3, Math.min(whole.ids.length, roles.paging.limit?.schema.maximum ?? 100)] : [1, 2];
    for (const size of [undefined, ...sizes]) {
      const paged = size === undefined ? whole : await read(query, size);
      const of = size === undefined ? 'the whole list' : `the pages of ${size}`;
      const counted = totalsIn(paged.last, list, shown !== '').find((total) => total !== whole.items.length);
      if (whole.complete && counted !== undefined)
        fail(`the total is ${counted} in ${of} of ${whole.items.length} items${shown}`, paged.last);
      const repeated = paged.ids.find((id, index) => id !== '' && paged.ids.indexOf(id) !== index);
      if (repeated !== undefined) fail(`${repeated} is twice in ${of}${shown}`, paged.last);
      if (!paged.complete || !whole.complete) continue;
      const [lost] = new Set(whole.ids).symmetricDifference(new Set(paged.ids));
      if (lost !== undefined) fail(`${of} and the whole list differ in ${lost}${shown}`, paged.last);
    }
    await checkLinked(client, resource, { at, query, whole });
  };
  await together([{}, ...filters.slice(0, 2), ...orders.slice(0, 2)], checkQuery);
}

const mostLinks = 12;

/** The pages to which `Link` leads are those of the same query. */
async function checkLinked(
  client: Client,
  resource: Resource,
  { at, query, whole }: { at: Item['at']; query: Query; whole: Populated['all'] },
) {
  const { list, query: roles } = resource as { list: Baseline; query: QueryRoles };
  const { limit } = roles.paging;
  const size = Math.max(limit?.schema.minimum ?? 1, 2, Math.ceil(whole.ids.length / (mostLinks - 2)));
  const found: string[] = [];
  let response = await client.send(list, { at, query: { ...query, ...(limit && { [limit.name]: String(size) }) } });
  for (let pages = 0; pages < mostLinks; pages += 1) {
    found.push(...(listedItems(parsed(response.text)) ?? []).map((each) => identifierIn(each, resource) ?? ''));
    const next = nextLink(response.headers['link']);
    if (next === undefined && pages === 0) return;
    if (next === undefined) break;
    const { searchParams } = new URL(next, client.baseUrl);
    const linked = Array.from(searchParams.keys(), (name) => [name, searchParams.getAll(name)] as const);
    response = await client.send(list, { at, query: Object.fromEntries(linked) });
  }
  const [other] = new Set(whole.ids).symmetricDifference(new Set(found));
  if (whole.complete && other !== undefined && found.length < whole.ids.length + size * mostLinks)
    fail(`the pages to which Link leads and the list differ in ${other}${shownQuery(query)}`, response);
}

export async function checkDefaults(client: Client, resource: Resource): Promise<void> {
  const size = Number(resource.query?.paging.limit?.schema.default ?? 0);
  const { list, at, roles } = await populate(client, resource, size > 0 && size < mostForDefault ? size + 1 : fewest);
  const page = async (query: Query) => {
    const response = await client.send(list, { at, query });
    const items = (listedItems(parsed(response.text)) ?? []).map((each) => JSON.stringify(each));
    return { response, count: items.length, text: items.join() };
  };
  for (const { name, schema } of roles.defaults) {
    const [absent, given] = [await page({}), await page({ [name]: String(schema.default) })];
    if (absent.text === given.text || absent.text !== (await page({})).text) continue;
    const isAlike = absent.count === given.count;
    const counts = isAlike ? 'other items or another order' : `${absent.count} and ${given.count} items`;
    const differs = `the list without ${name} differs from that with its default ${told(schema.default)}`;
    fail(`${differs}: ${counts}`, absent.response);
  }
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
function expectOrder(items: readonly Fields[], { field, descending, ranks }: Order, last: HttpResponse, query: Query) {
  const all = items.map((each) => each[field]).filter((value) => value !== null && value !== undefined);
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

/** A filter finds what matches, all of it, and nothing else. */
export async function checkFilter(client: Client, resource: Resource, filter: Filter): Promise<void> {
  // A search that must have a word is compared with the list.
  const isSearch = resource.list?.operation.parameters.some((each) => each.in === 'query' && each.required);
  const compared = (isSearch && client.run.resources.find(({ path }) => path === resource.path)) || resource;
  const whole = await populate(client, compared, fewest, await createOdd(client, resource, filter));
  const read: Populated['read'] = (query, size, isSure) =>
    client.listAll(resource, { at: whole.at, query, size, isSure: isSure === true });
  const populated = { ...whole, read, roles: resource.query ?? whole.roles };
  const { items, own } = populated;
  const words = filter.comparison === 'contains' ? wordsIn(items, filter.field) : [];
  const sure = words.filter((word) => own.some((each) => matches(filter, each, word) === true));
  const found = filter.comparison === 'contains' ? (sure[0] === undefined ? words : sure) : valuesFor(filter, own);
  const texts = found.filter((each) => typeof each === 'string' && ofAnyCase.test(filter.description));
  const capitals = texts.slice(0, 2).map((text) => String(text).toUpperCase());
  const values = [...capitals.filter((text) => oracleOf(filter.schema)(text).length === 0), ...found];
  if (values.length === 0) unmet(`missing: items with a value of ${filter.field ?? 'a text'}`);
  // A time in another zone is the same time.
  const isTime = filter.schema.format === 'date-time' && filter.comparison !== 'equal';
  if (isTime) values.push(inOtherZone(values[0], -1), inOtherZone(values.at(-1), 1));
  // Of a value that no item has, nothing is found.
  const { enum: listed = [] } = filter.schema;
  const all = new Set([...values, ...(filter.comparison === 'equal' ? (listed as Scalar[]) : [])]);
  await together([...all].slice(0, 6), (value) => expectFiltered(populated, [[filter, value]]));
  await checkSeveral(populated, filter);
  // What a word such as `none` stands for is the server's to know, but not another order.
  for (const [, word = ''] of filter.description.matchAll(/`(\w+)`/g))
    if (!all.has(word) && oracleOf(filter.schema)(word).length === 0) {
      const { roles, read } = populated;
      const { items: named, last } = await read({ [filter.key]: word });
      if (roles.usual) expectOrder(named, roles.usual, last, { [filter.key]: word });
    }
}

function inOtherZone(time: unknown, hours: number): string {
  return new Date(Date.parse(String(time)) + (5 + hours) * 3_600_000).toISOString().replace(/\.\d+Z|Z/, '+05:00');
}

/** Of several values, an item has one; of a field with several values, as many as the description says. */
async function checkSeveral(populated: Populated, filter: Filter): Promise<void> {
  const { key, list, description, field = '' } = filter;
  const { items } = populated.all;
  const { maxItems = 3 } = list?.schema ?? {};
  const values = new Set([...valuesFor(filter, items), ...((filter.schema.enum ?? []) as Scalar[])]);
  const chosen = [...values].slice(0, Math.min(3, maxItems));
  const ofArray = items.some((each) => Array.isArray(valueAt(each, field)));
  const isAll = ofArray && /\b(all|each|every)\b/i.test(description);
  const texts = list && textsOfParameter(list, chosen);
  const isClear = !ofArray || isAll || /\b(any|either|one)\b/i.test(description);
  if (!texts || chosen.length < 2 || !isClear || filter.comparison !== 'equal') return;
  for (const each of [chosen, chosen.toReversed(), chosen.slice(0, 2)]) {
    const query = { [key]: textsOfParameter(list, each) ?? texts };
    const pairs = each.map((value) => [filter, value] as const);
    await expectFiltered({ ...populated, own: items }, pairs, { query, isAny: !isAll });
  }
}

/** Of several filters, all hold. */
export async function checkFilters(client: Client, resource: Resource): Promise<void> {
  const populated = await populate(client, resource);
  const filters = equalFilters(resource);
  for (const item of populated.own.slice(0, 3)) {
    const chosen = filters.flatMap((filter) => {
      const own = valuesFor(filter, [item]);
      const others =
        (filter.schema.enum as Scalar[] | undefined)?.filter((each) => !own.includes(each)).slice(0, 1) ?? [];
      return [...own, ...others].map((value) => [filter, value] as const);
    });
    const pairs = chosen.flatMap((one, at) =>
      chosen
        .slice(at + 1)
        .filter(([each]) => each !== one[0])
        .map((other) => [one, other]),
    );
    await together(pairs.slice(0, mostPairs), (pair) => expectFiltered(populated, pair));
  }
}

export function equalFilters({ query }: Resource): Filter[] {
  return query?.filters.filter(({ comparison }) => comparison === 'equal') ?? [];
}

/** Creates an item whose value of a filtered text has letters that a query must encode. */
async function createOdd(client: Client, resource: Resource, { field = '', comparison }: Filter): Promise<Item[]> {
  const { [field]: schema } = fieldsOf(resource.create?.json?.schema);
  if (comparison !== 'equal' || schema?.type !== 'string' || schema.enum || !isFree(field, schema)) return [];
  await client.create(resource);
  const body = { ...(await client.body(resource)), [field]: 'a+b & c%41=\u00e9' };
  const { item } = await client.tryCreate(resource, body);
  return item ? [item] : [];
}

/** @throws {Error} unless the items that match all filters, or any of them, are found, and no others */
async function expectFiltered(
  { all, own, read, roles }: Populated,
  chosen: readonly (readonly [Filter, Scalar])[],
  given: { readonly query?: Query; readonly isAny?: boolean } = {},
) {
  const { query = Object.fromEntries(chosen.map(([{ key }, value]) => [key, String(value)])), isAny = false } = given;
  const found = await read(
    query,
    undefined,
    chosen.every(([each]) => each === chosen[0]?.[0]),
  );
  const seen = (item: Fields) => told(chosen.map(([{ field }]) => (field === undefined ? item : valueAt(item, field))));
  const matched = (item: Fields) => chosen.map(([filter, value]) => matches(filter, item, value));
  const isAnyOf = (each: Fields, wanted: boolean) => matched(each).includes(wanted);
  const isEachOf = (each: Fields, wanted: boolean) => matched(each).every((one) => one === wanted);
  const [isMatch, isStray] = isAny ? [isAnyOf, isEachOf] : [isEachOf, isAnyOf];
  const stray = found.items.find((each) => isStray(each, false));
  if (stray) fail(`an item with ${seen(stray)} is found${shownQuery(query)}`, found.last);
  const isFound = (each: Fields) => found.ids.includes(all.ids[all.items.indexOf(each)] ?? '');
  const lost = found.complete && own.find((each) => isMatch(each, true) && !isFound(each));
  if (lost) fail(`an item with ${seen(lost)} is not found${shownQuery(query)}`, found.last);
  if (roles.usual && roles.usual.ranks === undefined) expectOrder(found.items, roles.usual, found.last, query);
}

/** Whether an item matches a filter; undefined if the document does not say. */
function matches(filter: Filter, item: Fields, value: Scalar): boolean | undefined {
  const { comparison, field, description, isExclusive } = filter;
  const holds = (text: unknown): text is string =>
    typeof text === 'string' && text.toLowerCase().includes(String(value).toLowerCase());
  if (field === undefined) {
    const named = Object.entries(item).filter(([name]) => plainName(description).includes(plainName(name)));
    if (named.some(([, text]) => holds(text))) return true;
    // Whether another text is searched is the server's to choose, but the word is in no other item.
    return holds(JSON.stringify(item)) ? undefined : false;
  }
  const found = valueAt(item, field);
  if (found === undefined || found === null) return undefined;
  if (comparison === 'contains') return typeof found === 'string' ? holds(found) : undefined;
  if (comparison === 'equal') {
    const isAlike = ofAnyCase.test(description) && holds(found) && String(value).length === found.length;
    if (Array.isArray(found) ? found.includes(value) : found === value || isAlike) return true;
    return holds(found) ? undefined : false;
  }
  const [one, other] = [scaleOf(found), scaleOf(value)];
  if (one === undefined || other === undefined) return undefined;
  if (one === other)
    return comparison === 'at least' || comparison === 'at most' ? true : isExclusive ? false : undefined;
  return comparison === 'at least' || comparison === 'after' ? one > other : one < other;
}

/** A number, a time or an amount of money as one. */
function scaleOf(value: unknown): number | undefined {
  const amount = amountIn(value);
  if (!Number.isNaN(amount)) return amount;
  if (typeof value !== 'string') return undefined;
  const time = /^\d{4}-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Values of a filter that some items match; of a bound, the least and the greatest. */
function valuesFor({ field = '', schema, comparison }: Filter, items: readonly Fields[]): Scalar[] {
  const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
  const present = new Set(items.flatMap((item) => valueAt(item, field)).filter(isScalar) as Scalar[]);
  const values = [...present].filter((value) => oracleOf(schema)(value).length === 0);
  if (comparison === 'equal') return values;
  const sorted = values.sort((a, b) => (scaleOf(a) ?? 0) - (scaleOf(b) ?? 0));
  return [...new Set([...sorted.slice(0, 2), ...sorted.slice(-2)])];
}

/** Words that only one item has. */
export function wordsIn(items: readonly Item[], field?: string): string[] {
  const texts = items.map(({ fields }) =>
    JSON.stringify(field === undefined ? fields : (valueAt(fields, field) ?? '')),
  );
  const isOnly = (word: string) => texts.filter((text) => text.includes(word)).length === 1;
  return texts.flatMap((text) => text.match(/[a-z0-9]*\d[a-z0-9]*(?=")/gi)?.filter(isOnly) ?? []);
}

/** How many items a list says that it has on all pages. A filtered one may say how many there are without the filter. */
function totalsIn(last: HttpResponse, { operation }: Baseline, isFiltered: boolean): number[] {
  const entries = objectsIn(parsed(last.text)).flatMap((each) => Object.entries(each));
  const isTotal = ([name, value]: readonly [string, unknown]) =>
    /^total(count|items|results|elements)?$/.test(plainName(name)) && Number.isInteger(value);
  const isTold = /total[^}]*(match|found|filter)/i.test(JSON.stringify(operation.responses['200']?.content ?? {}));
  const totals = [entries.find(isTotal)?.[1], last.headers['x-total-count']].filter((each) => each !== undefined);
  return isFiltered && !isTold ? [] : totals.map(Number);
}

function shownQuery(query: Query): string {
  const pairs = Object.entries(query).map(([name, values]) => `${name}=${String(values)}`);
  return pairs.length === 0 ? '' : ` with ${pairs.join('&')}`;
}
