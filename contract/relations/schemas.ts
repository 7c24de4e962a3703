/** What the schemas of a document show of objects and lists. */
import type { Operation, Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { isObject } from '../oracle/json.ts';
import { successSchema } from '../plan/parameters.ts';

/** The fields of an object. */
export type Fields = Record<string, unknown>;

/** The fields of these names. */
export function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** A name without case and separators, so that `book_id` and `bookId` are one. */
export function plainName(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

/** The fields that an object must have. */
export function requiredFieldsOf({ required = [], allOf = [] }: Schema & { allOf?: Schema[] }): string[] {
  return [...required, ...allOf.flatMap(requiredFieldsOf)];
}

const listNames = /^(items|data|results|records|entries|values|content|hits|list|rows)$/i;

/** The schema of what a response lists: its items, or those of its one array of objects. */
export function listedSchema(operation: Operation | undefined): Schema | undefined {
  const schema = successSchema(operation);
  if (schema.type === 'array') return schema.items;
  const fields = Object.entries(fieldsOf(schema));
  // An item may have an array of its own, but has an identifier beside it.
  if (fields.some(([name]) => /^id$/i.test(name))) return undefined;
  const arrays = fields.filter(([, { type, items }]) => type === 'array' && Object.keys(fieldsOf(items)).length > 0);
  const [, found] = arrays.find(([name]) => listNames.test(name)) ?? (arrays.length === 1 ? (arrays[0] ?? []) : []);
  return found?.items;
}

/** The items that a response lists; undefined if it is no list. */
export function listedItems(body: unknown): Fields[] | undefined {
  const arrays = Array.isArray(body) ? [['items', body] as const] : Object.entries(isObject(body) ? body : {});
  const lists = arrays.filter(([, each]) => Array.isArray(each));
  const [, found] = lists.find(([name]) => listNames.test(name)) ?? lists[0] ?? [];
  return (found as unknown[] | undefined)?.filter(isObject);
}

/** An object and those in it, which may be what is meant, as in `{ "data": { ... } }`. */
export function objectsIn(body: unknown): Fields[] {
  return isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
}
