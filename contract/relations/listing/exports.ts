/** Lists as text/csv, by `Accept` or beside a collection, such as `/orders/export`: they have what the list has, and every cell is in its column. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { successContent } from '../../plan/parameters.ts';
import type { Client } from '../client.ts';
import { fail, isSuccess, type Item, refusedWith, type Sending, unmet } from '../exchange.ts';
import { equalFilters } from './filters.ts';
import { type Filter, queryRolesOf } from './query-roles.ts';
import { type Resource, type Resources } from '../resources.ts';
import { fieldsOf, requiredFieldsOf } from '../../document/schemas.ts';
import { isFree, pick, plainName } from '../values.ts';
import { names } from '../said.ts';
import { actionsOf } from '../steps.ts';

const csv = 'text/csv';

/** Texts that a cell must quote, or else they are several cells. */
const quoted = ['a "b", c; \'d\' \u00df\u20ac', 'a, b'];

export function exportsOf(resource: Resource, { baselines, resources }: Resources): Baseline[] {
  const { path, list } = resource;
  const collection = path.replace(/\/\{[^{}/]+\}$/, '');
  // As `/exports/{id}/content` of a job that is said to be one of these items.
  const isOfJob = (each: string) => {
    const { operation } = jobOf(each, resources)?.create ?? {};
    return names(`${operation?.summary} ${operation?.description}`, resource);
  };
  const [, , name] = /^\/([^{}]+\/)?([^{}/]+)$/.exec(collection) ?? [];
  // As `/orders/export` or `/exports/orders.csv`.
  const isBeside = (each: string) =>
    (each.startsWith(collection) && /^(\.csv|\/[^{}/]+)$/.test(each.slice(collection.length))) ||
    (!each.includes('{') && each.split('/').some((segment) => segment.replace(/\.csv$/, '') === name));
  return baselines.filter(({ operation }) => {
    const { method, path: each } = operation;
    const [type = '', ...others] = Object.keys(successContent(operation));
    const isText = others.length === 0 && type.startsWith('text/csv');
    const isList = list?.operation === operation && operation.parameters.every(({ required }) => !required);
    if (isList) return [type, ...others].includes(csv);
    return list !== undefined && method === 'get' && isText && (isBeside(each) || isOfJob(each));
  });
}

/** What must be created before there is an export. */
function jobOf(path: string, resources: readonly Resource[]): Resource | undefined {
  return resources.find(
    (each) => each.create?.operation.responses['202'] !== undefined && path.startsWith(`${each.path}/`),
  );
}

/** How often it is looked whether a job is done, and after how long. */
const looks = { most: 30, milliseconds: 200 };

/** @throws {Error} if the export lacks an item, breaks a row, or filters otherwise than the list */
export async function checkExported(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const items = [await client.create(resource)];
  const at = items[0]?.at ?? {};
  // What is kept of the first response lacks the others.
  await readExport(client, about, { at });
  for (const text of quoted) items.push(await createQuoted(client, resource, text));
  // Whatever becomes of an item, the export has it as the list does.
  for (const by of actionsOf(resource, client.run)) {
    const item = await client.create(resource);
    await client.send(by, { at: item.at, body: by.payload?.valid });
    items.push(item);
  }
  const listed = await client.listAll(resource, { at });
  const whole = await readExport(client, about, { at });
  const lost = items.find((item) => (!listed.complete || listed.ids.includes(item.id)) && !whole.has(item));
  const { isSelective, filters } = queryRolesOf(about.operation, resource.listed);
  if (lost && (isSelective || !items.every(whole.isNamed))) unmet('missing: an export with identifiers');
  if (lost) fail(`${lost.id} is in no row of the export`, whole.response);
  for (const item of items) await expectRow(client, item, whole);
  const isOfList = ({ key, field }: Filter) =>
    equalFilters(resource).some((each) => each.key === key && each.field === field);
  for (const { key, schema } of filters.filter(isOfList))
    for (const value of (schema.enum ?? []).slice(0, 4).map(String)) {
      const query = { [key]: value };
      const { ids, complete } = await client.listAll(resource, { at, query });
      const filtered = await readExport(client, about, { at, query });
      const other = items.find((item) => ids.includes(item.id) !== filtered.has(item));
      if (complete && other)
        fail(`the list and the export differ in ${other.id} with ${key}=${value}`, filtered.response);
    }
}

/** What one tenant made is not in the export of another. */
export async function checkForeignExport(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const item = await client.create(resource);
  const { at, id } = item;
  if (!(await readExport(client, about, { at })).has(item)) unmet('missing: an export with identifiers');
  const { has, response } = await readExport(client, about, { at, caller: 'other' });
  if (has(item)) fail(`another tenant finds ${id} in the export`, response);
}

/** The export, whose first row names the columns. @throws {UnmetPreconditionError} if it is refused */
async function readExport(client: Client, about: Baseline, given: Sending) {
  const job = jobOf(about.operation.path, client.run.resources);
  const { schema, valid } = job?.create?.payload ?? {};
  const body = pick(isObject(valid) ? valid : {}, requiredFieldsOf(schema ?? {}));
  const { item } = job ? await client.tryCreate(job, body, { caller: given.caller ?? 'own' }) : {};
  const sending = { ...given, ...(item && { at: item.at }), headers: [['Accept', csv] as const] };
  let response = await client.send(about, sending);
  for (let count = 0; item && !isSuccess(response) && response.status < 500 && count < looks.most; count += 1) {
    await sleep(looks.milliseconds);
    response = await client.send(about, sending);
  }
  if (!isSuccess(response)) refusedWith('an export that can be read', response);
  const [names = [], ...rows] = rowsOf(response.text.replace(/^\ufeff/, ''));
  // Without its identifier, a row is known by a text that each item has for itself.
  const keyOf = ({ id, fields, resource }: Item): [column: number, key: unknown] => {
    const column = names.findIndex((each) => resource.idNames.slice(0, 4).includes(plainName(each)));
    if (column >= 0) return [column, id];
    const own = Object.entries(fields).map(([name, value]): [number, unknown] => {
      const isListed = resource.sent.properties[name]?.enum !== undefined;
      const isKey = !isListed && typeof value === 'string' && /^[\w-]{3,}$/.test(value);
      return [isKey ? names.findIndex((each) => plainName(each) === plainName(name)) : -1, value];
    });
    return own.find(([at]) => at >= 0) ?? [-1, undefined];
  };
  const rowOf = (item: Item) => {
    const [column, key] = keyOf(item);
    return column < 0 ? undefined : rows.find(({ [column]: cell }) => cell === key);
  };
  const isNamed = (item: Item) => keyOf(item)[0] >= 0;
  return { response, names, rowOf, isNamed, has: (item: Item) => rowOf(item) !== undefined };
}

/** An item with a text that a cell must quote. */
async function createQuoted(client: Client, resource: Resource, quoted: string): Promise<Item> {
  const fields = Object.entries(fieldsOf(resource.create?.payload?.schema));
  const body = await client.body(resource);
  for (const [name, schema] of fields) {
    const { type, enum: values, maxLength = Infinity } = schema;
    if (type !== 'string' || values || !isFree(name, schema) || maxLength < quoted.length || !body[name]) continue;
    const { item } = await client.tryCreate(resource, { ...body, [name]: quoted });
    if (item) return item;
  }
  return client.create(resource);
}

type Export = Awaited<ReturnType<typeof readExport>>;

/** @throws {Error} if the row of an item has not as many cells as there are columns (RFC 4180), or another text of a field */
async function expectRow(client: Client, item: Item, { names, rowOf, response }: Export): Promise<void> {
  const row = rowOf(item) ?? [];
  if (row.length !== names.length)
    fail(`the row of ${item.id} has ${row.length} cells, and there are ${names.length} columns`, response);
  const { entity = {} } = await client.find(item);
  for (const [name, value] of Object.entries(entity)) {
    const cell = row[names.findIndex((each) => plainName(each) === plainName(name))];
    const isText = typeof value === 'string' && item.fields[name] === value && !/^[\d=+@-]|[\r\n]/.test(value);
    if (isText && cell !== undefined && cell !== value)
      fail(`${name} is ${cell} in the export, and ${value}`, response);
  }
}

/** The cells of the rows of a CSV, whatever separates them. */
function rowsOf(text: string): string[][] {
  const [delimiter = ','] = /[,;\t]/.exec(text) ?? [];
  const rows: string[][] = [[]];
  const pattern = new RegExp(`("(?:[^"]|"")*"|[^${delimiter}\r\n]*)(${delimiter}|\r?\n|$)`, 'gy');
  for (const [all, cell = '', end] of text.matchAll(pattern)) {
    if (all === '') break;
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end !== delimiter) rows.push([]);
  }
  return rows.filter(({ length }) => length > 0);
}
