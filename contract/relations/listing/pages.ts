/** Relations of pages: a limit limits, pages are disjoint and complete, and what is left out has its default. */
import type { Baseline } from '../../plan/baseline.ts';
import { oracleOf } from '../../oracle/schema.ts';
import { parsed, told } from '../../oracle/json.ts';
import type { HttpResponse } from '../../run/model.ts';
import type { Client } from '../client.ts';
import { fail, type Item, type Query, together } from '../exchange.ts';
import { type Filter, nextAddress, type QueryRoles } from './query-roles.ts';
import { type Resource } from '../resources.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { isFree, listedItems, objectsIn, plainName, valueAt } from '../values.ts';

import { equalFilters, valuesFor } from './filters.ts';
import { fewest, populate, type Populated, shownQuery } from './lists.ts';
import { identifierIn } from '../identity.ts';

/** How many items a list has when its limit is tried: a server may forget what is beyond a number. */
const many = 33;
/** The most items that are created to see a default of a limit. */
const mostForDefault = 60;

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
  const alike = await createAlike(client, resource);
  const { list, own, roles, read, at } = await populate(client, resource, fewest, alike);
  const filters = roles.filters.flatMap((filter) => {
    const values = filter.comparison === 'equal' ? valuesFor(filter, own) : [];
    const countOf = (each: unknown) => own.filter((item) => valueAt(item, filter.field ?? '') === each).length;
    const [value] = values.toSorted((one, other) => countOf(other) - countOf(one));
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
      const stray = paged.ids.find((id) => !whole.ids.includes(id));
      if (whole.complete && stray !== undefined)
        fail(`${of} lead to ${stray}, which the whole list has not${shown}`, paged.last);
      if (!paged.complete || !whole.complete) continue;
      const [lost] = new Set(whole.ids).symmetricDifference(new Set(paged.ids));
      if (lost !== undefined) fail(`${of} and the whole list differ in ${lost}${shown}`, paged.last);
    }
    await checkLinked(client, resource, { at, query, whole });
  };
  await together([{}, ...filters.slice(0, 2), ...orders.slice(0, 2)], checkQuery);
}

/** Some items with the same value of a filtered text, so that a filtered list has several pages. */
async function createAlike(client: Client, resource: Resource): Promise<Item[]> {
  const isWritten = ({ field = '' }: Filter) => {
    const { [field]: schema } = fieldsOf(resource.create?.payload?.schema);
    return schema?.type === 'string' && !schema.enum && isFree(field, schema);
  };
  const { field = '' } = equalFilters(resource).find(isWritten) ?? {};
  if (field === '') return [];
  const first = await client.create(resource);
  const { [field]: value } = first.fields;
  const alike = [1, 2, 3].map(async () =>
    client.tryCreate(resource, { ...(await client.body(resource)), [field]: value }),
  );
  return [first, ...(await Promise.all(alike)).flatMap(({ item }) => item ?? [])];
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
    const items = listedItems(parsed(response.text)) ?? [];
    found.push(...items.map((each) => identifierIn(each, resource) ?? ''));
    const said = `${list.document.description} ${JSON.stringify(list.operation.responses['200'])}`;
    if (pages > 0 && items.length === 0 && /\bon the last page\b[^.]*\bno\b|\bnot on the last page\b/i.test(said))
      fail(`the next page of the last one is empty${shownQuery(query)}`, response);
    const next = nextAddress(response);
    if (next === undefined && pages === 0) return;
    if (next === undefined) break;
    const { searchParams } = new URL(next, client.baseUrl);
    const linked = Array.from(searchParams.keys(), (name) => [name, searchParams.getAll(name)] as const);
    response = await client.send(list, { at, query: Object.fromEntries(linked) });
  }
  const [other] = new Set(whole.ids).symmetricDifference(new Set(found));
  if (whole.complete && other !== undefined && found.length < whole.ids.length + size * mostLinks)
    fail(`the pages to which links lead and the list differ in ${other}${shownQuery(query)}`, response);
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

/** How many items a list says that it has on all pages. A filtered one may say how many there are without the filter. */
function totalsIn(last: HttpResponse, { operation }: Baseline, isFiltered: boolean): number[] {
  const entries = objectsIn(parsed(last.text)).flatMap((each) => Object.entries(each));
  const isTotal = ([name, value]: readonly [string, unknown]) =>
    /^total(count|items|results|elements)?$/.test(plainName(name)) && Number.isInteger(value);
  const isTold = /total[^}]*(match|found|filter)/i.test(JSON.stringify(operation.responses['200'] ?? {}));
  const totals = [entries.find(isTotal)?.[1], last.headers['x-total-count']].filter((each) => each !== undefined);
  return isFiltered && !isTold ? [] : totals.map(Number);
}
