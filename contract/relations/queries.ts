/** Relations of lists: a limit limits, pages are disjoint and complete, a filter filters, sorting sorts, defaults hold. */
import type { Baseline } from '../plan/baseline.ts';
import { oracleOf } from '../oracle/schema.ts';
import { textsOfParameter } from '../oracle/parameters.ts';
import { type Client, fail, isExample, type Item, type Listing, type Relation, told, unmet } from './client.ts';
import { type Filter, filtersOf, isSelective, type Order, ordersOf, pagingOf } from './query-roles.ts';
import { type Fields, fieldsOf, isObject, listedItems, parsed, plainName, type Resource } from './resources.ts';
import { isFree } from './values.ts';

const fewest = 6;
/** The most pairs of filters that are tried on an item. */
const mostPairs = 8;
/** The most items that are created to see a default of a limit. */
const mostForDefault = 60;

export function listRelations(resource: Resource): Relation[] {
  const { list, create } = resource;
  if (!list) return [];
  const { limit, ...position } = pagingOf(list.operation);
  const isPaged = limit && Object.keys(position).length > 0;
  const orders = ordersOf(list.operation);
  const filters = filtersOf(list.operation);
  const equal = filters.filter(({ comparison }) => comparison === 'equal');
  const row = (isPromised: unknown, id: string, title: string, run: Relation['run']): Relation => ({
    ...{ id, title, run, uses: [create] },
    about: isPromised === undefined ? undefined : list,
  });
  const paged = 'pages are disjoint and complete, also of a filtered and a sorted list';
  return [
    row(limit, 'limited', 'a page has as many items as its limit says', (client) => checkLimit(client, resource)),
    row(isPaged || undefined, 'paged', paged, (client) => checkPages(client, resource)),
    row(defaultsOf(list)[0], 'query-defaults', 'a query parameter that is left out has its default', (client) =>
      checkDefaults(client, resource),
    ),
    row(orders[0], 'sorted', 'the list has the order that is asked for, across its pages', (client) =>
      checkOrders(client, resource, orders),
    ),
    row(equal[1], 'filtered-together', 'of several filters, all hold', (client) =>
      checkFilters(client, resource, equal),
    ),
    ...filters.map((filter) =>
      row(filter, `filtered.${filter.key}`, `${filter.key} finds what matches, all of it, and nothing else`, (client) =>
        checkFilter(client, resource, filter),
      ),
    ),
  ];
}

type Scalar = string | number | boolean;

interface Populated {
  readonly list: Baseline;
  /** What was created for the list; empty if the document does not say how. */
  readonly items: readonly Item[];
  /** Where the list is. */
  readonly at: Item['at'];
  readonly all: Listing;
  /** The listed items that were created, or all. */
  readonly own: readonly Fields[];
}

/** @throws {UnmetPreconditionError} if the list has too few items to tell, or is an example */
async function populate(client: Client, resource: Resource, count = fewest, made: Item[] = []): Promise<Populated> {
  const items = [...made];
  const list = resource.list as Baseline;
  while (resource.create && items.length < count) items.push(await client.create(resource));
  const at = items[0]?.at ?? (await client.locate(list.operation.path, 'own', resource));
  const all = await client.listAll(resource, { at });
  if (all.ids.length < 2) unmet('missing: a list of at least two items');
  if (items.length === 0 && isExample(list, all.last))
    unmet('the server responds with an example, whatever it is sent');
  const lost = items.find(({ id }) => !all.ids.includes(id));
  if (lost && all.complete && items.some(({ id }) => all.ids.includes(id)) && !isSelective(list))
    fail(`${lost.id} is not in the list`, all.last);
  const own = all.items.filter((_item, index) => items.some(({ id }) => id === all.ids[index]));
  return { list, items, at, all, own: own.length > 0 ? own : all.items };
}

async function checkLimit(client: Client, resource: Resource): Promise<void> {
  const { list, at, all } = await populate(client, resource);
  const { limit, cursor } = pagingOf(list.operation);
  for (const size of [1, 2, 3, 5]) {
    if (!limit || oracleOf(limit.schema)(size).length > 0) continue;
    const response = await client.send(list, { at, query: { [limit.name]: String(size) } });
    const { length: found = -1 } = listedItems(parsed(response)) ?? {};
    // With a cursor, a server may send a shorter page.
    const least = cursor ? 0 : Math.min(size, all.ids.length);
    if (found < least || found > size) fail(`expected ${size} of ${all.ids.length} items, got ${found}`, response);
  }
}

async function checkPages(client: Client, resource: Resource): Promise<void> {
  const { list, at, own } = await populate(client, resource);
  const filters = filtersOf(list.operation).flatMap((filter) => {
    const [value] = filter.comparison === 'equal' ? valuesFor(filter, own) : [];
    return value === undefined ? [] : [{ [filter.key]: String(value) }];
  });
  const orders = ordersOf(list.operation).map(({ query }) => query);
  for (const query of [{}, ...filters.slice(0, 2), ...orders.slice(0, 2)]) {
    const whole = await client.listAll(resource, { at, query });
    const shown = shownQuery(query);
    for (const size of [2, 3]) {
      const paged = await client.listAll(resource, { at, query, size });
      const repeated = paged.ids.find((id, index) => id !== '' && paged.ids.indexOf(id) !== index);
      if (repeated !== undefined) fail(`${repeated} is on two pages of ${size}${shown}`, paged.last);
      if (!paged.complete || !whole.complete) continue;
      const lost = whole.ids.find((id) => !paged.ids.includes(id)) ?? paged.ids.find((id) => !whole.ids.includes(id));
      if (lost !== undefined) fail(`the pages of ${size} and the whole list differ in ${lost}${shown}`, paged.last);
    }
    const total = totalIn(whole, list, shown !== '');
    if (whole.complete && total !== undefined && total !== whole.ids.length)
      fail(`the total is ${total}, and the list has ${whole.ids.length} items${shown}`, whole.last);
  }
}

async function checkDefaults(client: Client, resource: Resource): Promise<void> {
  const size = Number(pagingOf((resource.list as Baseline).operation).limit?.schema.default ?? 0);
  const { list, at } = await populate(client, resource, size > 0 && size < mostForDefault ? size + 1 : fewest);
  const read = async (query: Record<string, string>) => {
    const response = await client.send(list, { at, query });
    const items = (listedItems(parsed(response)) ?? []).map((each) => JSON.stringify(each));
    return { response, count: items.length, text: items.join() };
  };
  for (const { name, schema } of defaultsOf(list)) {
    const [absent, given] = [await read({}), await read({ [name]: String(schema.default) })];
    if (absent.text === given.text || absent.text !== (await read({})).text) continue;
    const counts =
      absent.count === given.count ? 'other items or another order' : `${absent.count} and ${given.count} items`;
    fail(
      `the list without ${name} differs from that with its default ${told(schema.default)}: ${counts}`,
      absent.response,
    );
  }
}

async function checkFilter(client: Client, resource: Resource, filter: Filter): Promise<void> {
  const populated = await populate(client, resource, fewest, await createOdd(client, resource, filter));
  const { items, own } = populated;
  const values = filter.comparison === 'contains' ? wordsIn(items) : valuesFor(filter, own);
  if (values.length === 0) unmet(`missing: items with a value of ${filter.field ?? 'a text'}`);
  for (const value of values.slice(0, 5)) await expectFiltered(client, resource, populated, [[filter, value]]);
}

/** Of several filters, all hold. */
async function checkFilters(client: Client, resource: Resource, filters: readonly Filter[]): Promise<void> {
  const populated = await populate(client, resource);
  for (const item of populated.own.slice(0, 3)) {
    const chosen = filters.flatMap((filter) => valuesFor(filter, [item]).map((value) => [filter, value] as const));
    const pairs = chosen.flatMap((one, at) => chosen.slice(at + 1).map((other) => [one, other]));
    for (const pair of pairs.slice(0, mostPairs)) await expectFiltered(client, resource, populated, pair);
  }
}

/** Creates an item whose value of a filtered text has letters that a query must encode. */
async function createOdd(client: Client, resource: Resource, { field = '', comparison }: Filter): Promise<Item[]> {
  const { [field]: schema } = fieldsOf(resource.create?.json?.schema ?? {});
  if (comparison !== 'equal' || schema?.type !== 'string' || schema.enum || !isFree(field, schema)) return [];
  await client.create(resource);
  const odd = await client.tryCreate(resource, { ...(await client.body(resource)), [field]: 'a+b & c%41=\u00e9' });
  return 'resource' in odd ? [odd] : [];
}

type Chosen = readonly (readonly [Filter, Scalar])[];

/** @throws {Error} unless the items that match all filters are found, and no others */
async function expectFiltered(
  client: Client,
  resource: Resource,
  { at, all, own }: Populated,
  chosen: Chosen,
): Promise<void> {
  const query = Object.fromEntries(chosen.map(([{ key }, value]) => [key, String(value)]));
  const found = await client.listAll(resource, { at, query });
  const held = (item: Fields) => chosen.map(([{ field }]) => (field === undefined ? item : item[field]));
  const stray = found.items.find((each) => chosen.some(([filter, value]) => matches(filter, each, value) === false));
  if (stray) fail(`an item with ${told(held(stray))} is found${shownQuery(query)}`, found.last);
  const isFound = (each: Fields) => found.ids.includes(all.ids[all.items.indexOf(each)] ?? '');
  const isMatch = (each: Fields) => chosen.every(([filter, value]) => matches(filter, each, value) === true);
  const lost = found.complete && own.find((each) => isMatch(each) && !isFound(each));
  if (lost) fail(`an item with ${told(held(lost))} is not found${shownQuery(query)}`, found.last);
}

/** Whether an item matches a filter; undefined if the document does not say. */
function matches({ comparison, field, parameter }: Filter, item: Fields, value: Scalar): boolean | undefined {
  const holds = (text: unknown) => typeof text === 'string' && text.toLowerCase().includes(String(value).toLowerCase());
  if (field === undefined) {
    const isNamed = ([name]: [string, unknown]) => plainName(parameter.description).includes(plainName(name));
    if (Object.entries(item).some((each) => isNamed(each) && holds(each[1]))) return true;
    // Whether another text is searched is the server's to choose, but the word is in no other item.
    return holds(JSON.stringify(item)) ? undefined : false;
  }
  const held = item[field];
  if (held === undefined || held === null) return undefined;
  if (comparison === 'equal') {
    if (Array.isArray(held) ? held.includes(value) : held === value) return true;
    return holds(held) ? undefined : false;
  }
  const [one, other] = [scaleOf(held), scaleOf(value)];
  if (one === undefined || other === undefined) return undefined;
  if (one === other) return comparison === 'at least' || comparison === 'at most' ? true : undefined;
  return comparison === 'at least' || comparison === 'after' ? one > other : one < other;
}

/** A number, or a time as one. */
function scaleOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const time = typeof value === 'string' && /^\d{4}-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Values of a filter that some items match; of a bound, those in the middle. */
function valuesFor(
  { field = '', schema, comparison }: Filter,
  items: readonly Fields[],
): (string | number | boolean)[] {
  const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
  const held = new Set(items.flatMap((item) => item[field]).filter(isScalar) as Scalar[]);
  const values = [...held].filter((value) => oracleOf(schema)(value).length === 0);
  if (comparison === 'equal') return values;
  return values.sort((a, b) => (scaleOf(a) ?? 0) - (scaleOf(b) ?? 0)).slice(1, 4);
}

/** Words that only one item has. */
function wordsIn(items: readonly Item[]): string[] {
  const texts = items.map(({ sent }) => JSON.stringify(sent));
  const words = texts.flatMap((text) => /[a-z0-9]*\d[a-z0-9]*(?=")/.exec(text) ?? []);
  return words.filter((word) => texts.filter((text) => text.includes(word)).length === 1);
}

async function checkOrders(client: Client, resource: Resource, orders: readonly Order[]): Promise<void> {
  const { at, items, all } = await populate(client, resource);
  const ids = items.length > 0 ? items.map(({ id }) => id) : all.ids;
  for (const { query, field, descending } of orders)
    for (const size of [undefined, 2]) {
      const found = await client.listAll(resource, { at, query, ...(size !== undefined && { size }) });
      const own = found.items.filter((_item, index) => ids.includes(found.ids[index] ?? ''));
      const values = own.map((each) => each[field]).filter((value) => value !== null && value !== undefined);
      const wrong = values.findIndex((value, index) => {
        const next = values[index + 1] ?? value;
        return !(descending ? isInOrder(next, value) : isInOrder(value, next));
      });
      if (wrong >= 0)
        fail(`${field} ${told(values[wrong])} comes before ${told(values[wrong + 1])}${shownQuery(query)}`, found.last);
    }
}

/** Whether one value may stand before another, in any usual order of texts. */
function isInOrder(one: unknown, other: unknown): boolean {
  const [first, second] = [scaleOf(one), scaleOf(other)];
  if (first !== undefined && second !== undefined) return first <= second;
  if (typeof one !== 'string' || typeof other !== 'string') return true;
  return one <= other || one.toLowerCase() <= other.toLowerCase() || one.localeCompare(other) <= 0;
}

function defaultsOf({ operation }: Baseline) {
  const isOptional = (each: (typeof operation.parameters)[number]) => each.in === 'query' && !each.required;
  return operation.parameters.filter(
    (each) => isOptional(each) && textsOfParameter(each, each.schema.default)?.length === 1,
  );
}

/** How many items a list says that it has on all pages. A filtered one may say how many there are without the filter. */
function totalIn({ last }: Listing, { operation }: Baseline, isFiltered: boolean): number | undefined {
  const body = parsed(last);
  const parts = isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
  const counted = Number(last.headers['x-total-count'] ?? 'none');
  const entries = [...parts.flatMap((part) => Object.entries(part)), ['total', counted] as const];
  const isTotal = ([name, value]: readonly [string, unknown]) =>
    /^total(count|items|results|elements)?$/.test(plainName(name)) && Number.isInteger(value);
  const isTold = /total[^}]*(match|found|filter)/i.test(JSON.stringify(operation.responses['200']?.content ?? {}));
  return isFiltered && !isTold ? undefined : (entries.find(isTotal)?.[1] as number | undefined);
}

function shownQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map((pair) => pair.join('='));
  return pairs.length === 0 ? '' : ` with ${pairs.join('&')}`;
}
