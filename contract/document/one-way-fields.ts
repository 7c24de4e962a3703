import type { Schema } from './model.ts';
import { withSubschemas } from './subschemas.ts';

/** Marks a field that only responses have, or only requests. */
export type OneWay = 'readOnly' | 'writeOnly';

const compositions = ['allOf', 'anyOf', 'oneOf'];

/**
 * Makes fields of the other direction optional: OpenAPI requires a `readOnly` field only in responses, and a
 * `writeOnly` field only in requests. A schema without such fields is returned as the same object.
 */
export function withoutOneWayFields(schema: Schema, mark: OneWay): Schema {
  if (!hasFields(schema, mark)) return schema;
  const copies = new Map<Schema, Schema>();
  const copy = (each: Schema, outer: readonly string[]): Schema => {
    const known = copies.get(each);
    if (known) return known;
    const copied: Schema = {};
    copies.set(each, copied);
    const marked = [...outer, ...markedFields(each, mark)];
    const inner = (part: Schema, keyword: string) => copy(part, compositions.includes(keyword) ? marked : []);
    Object.assign(copied, withSubschemas(each, inner));
    if (copied.required) copied.required = copied.required.filter((name) => !marked.includes(name));
    return copied;
  };
  return copy(schema, []);
}

/** Whether a schema has a field that only responses have, or only requests. */
export function hasOneWayFields(schema: Schema): boolean {
  return hasFields(schema, 'readOnly') || hasFields(schema, 'writeOnly');
}

/** The marked fields of a schema and of the parts that it is composed of. */
function markedFields(schema: Schema, mark: OneWay, seen = new Set<Schema>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const own = Object.entries(schema.properties ?? {}).filter(([, property]) => property[mark] === true);
  const parts = (schema['allOf'] ?? []) as Schema[];
  return [...own.map(([name]) => name), ...parts.flatMap((part) => markedFields(part, mark, seen))];
}

/** The schemas in which no field has the mark: documents refer to the same ones again and again. */
const unmarked = { readOnly: new WeakSet<Schema>(), writeOnly: new WeakSet<Schema>() };

function hasFields(schema: Schema, mark: OneWay): boolean {
  const seen = new Set<Schema>();
  const visit = (each: Schema): boolean => {
    if (seen.has(each) || unmarked[mark].has(each)) return false;
    seen.add(each);
    if (markedFields(each, mark).length > 0) return true;
    const inner: Schema[] = [];
    withSubschemas(each, (part) => (inner.push(part), part));
    return inner.some(visit);
  };
  const found = visit(schema);
  if (!found) for (const each of seen) unmarked[mark].add(each);
  return found;
}
