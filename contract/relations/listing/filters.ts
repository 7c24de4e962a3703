/** Relations of filters: one finds what matches, all of it, and nothing else; of several, all hold. */
import { textsOfParameter } from '../../oracle/parameters.ts';
import { oracleOf } from '../../oracle/schema.ts';
import { told } from '../../oracle/json.ts';
import type { Client } from '../client.ts';
import { fail, type Item, type Query, together, unmet } from '../exchange.ts';
import { type Filter } from './query-roles.ts';
import { type Resource } from '../resources.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { type Fields, isFree, ofAnyCase, plainName, valueAt } from '../values.ts';

import { expectOrder, fewest, populate, type Populated, scaleOf, shownQuery } from './lists.ts';

/** The most pairs of filters that are tried on an item. */
const mostPairs = 8;

type Scalar = string | number | boolean;

/** A filter finds what matches, all of it, and nothing else. */
export async function checkFilter(client: Client, resource: Resource, filter: Filter): Promise<void> {
  // A search that must have a word is compared with the list.
  const isSearch = resource.list?.operation.parameters.some((each) => each.in === 'query' && each.required);
  const compared = (isSearch && client.run.resources.find(({ path }) => path === resource.path)) || resource;
  const { field: of = '' } = filter;
  const [[, named] = []] = client.referencesIn({ [of]: '' }, resource, { isNaming: true });
  // One that names something differs from those that may name nothing.
  const odd = named?.create ? [await client.create(resource, {}, { [of]: await client.idOf(named) })] : [];
  const whole = await populate(client, compared, fewest, [...odd, ...(await createOdd(client, resource, filter))]);
  const read: Populated['read'] = (query, size, isSure) =>
    client.listAll(resource, { at: whole.at, query, size, isSure: isSure === true });
  const populated = { ...whole, read, roles: resource.query ?? whole.roles };
  const { items, own } = populated;
  const words = filter.comparison === 'contains' ? wordsOf(filter, items) : [];
  const sure = words.filter((word) => own.some((each) => matches(filter, each, word) === true));
  const found = filter.comparison === 'contains' ? (sure[0] === undefined ? words : sure) : valuesFor(filter, own);
  const texts = found.filter((each) => typeof each === 'string' && ofAnyCase.test(filter.description));
  const capitals = texts.slice(0, 2).map((text) => String(text).toUpperCase());
  const values = [...capitals.filter((text) => oracleOf(filter.schema)(text).length === 0), ...found];
  if (values.length === 0) unmet(`missing: items with a value of ${filter.field ?? 'a text'}`);
  // A time in another zone is the same time.
  const isTime = filter.schema.format === 'date-time' && filter.comparison !== 'equal';
  const zoned = isTime ? [inOtherZone(values[0], -1), inOtherZone(values.at(-1), 1)] : [];
  values.push(...zoned.filter((text) => oracleOf(filter.schema)(text).length === 0));
  // Of a value that no item has, nothing is found.
  const { enum: known } = fieldsOf(resource.listed)[of] ?? {};
  const listed = filter.schema.enum?.filter((each) => known?.includes(each) !== false) ?? [];
  const all = new Set([...values, ...(filter.comparison === 'equal' ? (listed as Scalar[]) : [])]);
  await together([...all].slice(0, 6), (value) => expectFiltered(populated, [[filter, value]]));
  await checkSeveral(populated, filter);
  // What a word such as `all` stands for is the server's to know, but not another order.
  for (const [, word = ''] of filter.description.matchAll(/`(\w+)`/g))
    if (!all.has(word) && oracleOf(filter.schema)(word).length === 0) {
      const { roles, read } = populated;
      const { items: named, last } = await read({ [filter.key]: word });
      if (roles.usual) expectOrder(named, roles.usual, last, { [filter.key]: word });
      const stray = named.find((each) => ![null, undefined].includes(each[filter.field ?? ''] as null));
      if (absent.test(word) && filter.comparison === 'equal' && stray)
        fail(`an item with ${told(stray[filter.field ?? ''])} is found with ${filter.key}=${word}`, last);
    }
}

/** Stands for those that have no value. */
const absent = /^(none|null|nobody|nothing|unassigned|empty|unset)$/;

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
  const { [field]: schema } = fieldsOf(resource.create?.payload?.schema);
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

/** Values of a filter that some items match; of a bound, the least and the greatest. */
export function valuesFor({ field = '', schema, comparison }: Filter, items: readonly Fields[]): Scalar[] {
  const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
  const present = new Set(items.flatMap((item) => valueAt(item, field)).filter(isScalar) as Scalar[]);
  const values = [...present].filter((value) => oracleOf(schema)(value).length === 0);
  if (comparison === 'equal') return values;
  const sorted = values.sort((a, b) => (scaleOf(a) ?? 0) - (scaleOf(b) ?? 0));
  return [...new Set([...sorted.slice(0, 2), ...sorted.slice(-2)])];
}

/** Words that only one item has. */
/** Words that one item alone has in a field of the filter, of each field in turn. */
function wordsOf({ field, description }: Filter, items: readonly Item[]): string[] {
  const named = Object.keys(items[0]?.fields ?? {}).filter((name) => plainName(description).includes(plainName(name)));
  const all = field === undefined && named.length > 1 ? named : [field];
  const words = all.map((each) => wordsIn(items, each));
  return words.flatMap(([first]) => first ?? []).concat(words.flatMap((each) => each.slice(1)));
}

export function wordsIn(items: readonly Item[], field?: string): string[] {
  const texts = items.map(({ fields }) =>
    JSON.stringify(field === undefined ? fields : (valueAt(fields, field) ?? '')),
  );
  const isOnly = (word: string) => texts.filter((text) => text.includes(word)).length === 1;
  return texts.flatMap((text) => text.match(/[a-z0-9]*\d[a-z0-9]*(?=")/gi)?.filter(isOnly) ?? []);
}
