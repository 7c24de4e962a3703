/** Lists as text/csv beside a collection, such as `/orders/export`: they have what the list has, and every cell is in its column. */
import { parsed } from '../oracle/json.ts';
import type { Baseline } from '../plan/baseline.ts';
import { successContent } from '../plan/parameters.ts';
import type { HttpResponse } from '../run/model.ts';
import type { Client } from './client.ts';
import { fail, isSuccess, type Item, unmet } from './exchange.ts';
import { equalFilters } from './lists.ts';
import { queryRolesOf } from './query-roles.ts';
import { entityIn, type Resource } from './resources.ts';
import { fieldsOf } from '../document/schemas.ts';
import { isFree, plainName } from './values.ts';

const quoted = 'a "b", c; \'d\'';

/** The exports of the items of a resource. */
export function exportsOf({ path, list }: Resource, baselines: readonly Baseline[]): Baseline[] {
  const collection = path.replace(/\/\{[^{}/]+\}$/, '');
  const isBeside = (each: string) => each === `${collection}.csv` || /^\/[^{}/]+$/.test(each.slice(collection.length));
  return baselines.filter(({ operation: { method, path: each, responses, ...operation } }) => {
    const types = Object.keys(successContent({ method, path: each, responses, ...operation }));
    const isText = types.length === 1 && types[0]?.startsWith('text/csv') === true;
    return list !== undefined && method === 'get' && isText && each.startsWith(collection) && isBeside(each);
  });
}

/** @throws {Error} if the export lacks an item, breaks a row, or filters otherwise than the list */
export async function checkExported(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const items = [await client.create(resource), await createQuoted(client, resource)];
  const { at } = items[0] as Item;
  const read = async (query = {}) => {
    const response = await client.send(about, { at, query });
    if (!isSuccess(response)) unmet(`missing: an export that can be read (it responds ${response.status})`);
    return { response, text: response.text };
  };
  const { response, text } = await read();
  const shown = items.filter(({ id }) => text.includes(id));
  if (shown.length === 0) unmet('missing: an export with identifiers');
  const lost = items.find((item) => !shown.includes(item));
  if (lost) fail(`${lost.id} is not in the export`, response);
  for (const item of items) await expectRow(client, item, response);
  const { filters } = queryRolesOf(about.operation, resource.listed);
  const alike = filters.filter(({ key, field }) =>
    equalFilters(resource).some((each) => each.key === key && each.field === field),
  );
  for (const { key, schema } of alike)
    for (const value of (schema.enum ?? []).slice(0, 4).map(String)) {
      const { ids, complete } = await client.listAll(resource, { at, query: { [key]: value } });
      const filtered = await read({ [key]: value });
      const other = items.find(({ id }) => ids.includes(id) !== filtered.text.includes(id));
      if (complete && other)
        fail(`the list and the export differ in ${other.id} with ${key}=${value}`, filtered.response);
    }
}

/** What one tenant made is not in the export of another. */
export async function checkForeignExport(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const { id, at } = await client.create(resource);
  const own = await client.send(about, { at });
  if (!own.text.includes(id)) unmet('missing: an export with identifiers');
  const response = await client.send(about, { at, caller: 'other' });
  if (isSuccess(response) && response.text.includes(id)) fail(`another tenant finds ${id} in the export`, response);
}

/** An item with a text that a cell must quote. */
async function createQuoted(client: Client, resource: Resource): Promise<Item> {
  const fields = Object.entries(fieldsOf(resource.create?.json?.schema));
  const body = await client.body(resource);
  for (const [name, schema] of fields) {
    const { type, enum: values, maxLength = quoted.length } = schema;
    if (type !== 'string' || values || !isFree(name, schema) || maxLength < quoted.length || !body[name]) continue;
    const { item } = await client.tryCreate(resource, { ...body, [name]: quoted });
    if (item) return item;
  }
  return client.create(resource);
}

/** @throws {Error} if the row of an item has other columns than the first, or another value of a field (RFC 4180) */
async function expectRow(client: Client, item: Item, response: HttpResponse): Promise<void> {
  const [first = '', rest] = response.text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/, 1)
    .concat(response.text);
  const delimiter = [',', ';', '\t'].find((each) => first.includes(each)) ?? ',';
  const [names = [], ...rows] = cellsOf(rest ?? '', delimiter);
  const row = rows.find((cells) => cells.includes(item.id));
  if (!row) fail(`${item.id} is in no cell of the export, as its rows are quoted`, response);
  if (row.length !== names.length)
    fail(`the row of ${item.id} has ${row.length} cells, and there are ${names.length} columns`, response);
  const { entity = {} } = await client.find(item);
  const shown = entityIn(entity, item.resource) ?? {};
  for (const [index, name] of names.entries()) {
    const [, value] = Object.entries(shown).find(([field]) => plainName(field) === plainName(name)) ?? [];
    const cell = row[index];
    const isText = typeof value === 'string' && parsed(`"${value}"`) === value;
    if (isText && cell !== value && !/^\d{4}-/.test(value))
      fail(`${name} is ${cell} in the export, and ${value}`, response);
  }
}

/** The cells of the rows of a CSV. */
function cellsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [[]];
  const pattern = new RegExp(`("(?:[^"]|"")*"|[^${delimiter}\r\n]*)(${delimiter}|\r?\n|$)`, 'gy');
  for (const [all, cell = '', end] of text.matchAll(pattern)) {
    if (all === '') break;
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end !== delimiter) rows.push([]);
  }
  return rows.filter(({ length }) => length > 0);
}
