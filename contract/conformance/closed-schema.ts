import type { Schema } from '../document/model.ts';
import { withSubschemas } from '../document/subschemas.ts';

const compositions = ['allOf', 'anyOf', 'oneOf'];

/**
 * The schema with every object that lists its properties refusing others, unless it allows them in so many words. What is
 * composed of several schemas accepts the properties that any of them lists (`unevaluatedProperties` of draft 2019-09).
 * @param closesEnums whether the values of `x-extensible-enum` are the only ones accepted
 */
export function closedSchema(schema: Schema, closesEnums = false): Schema {
  const whole = new Map<Schema, Schema>();
  const parts = new Map<Schema, Schema>();
  const close = (each: Schema, partOf?: string): Schema => {
    const done = partOf === undefined ? whole : parts;
    const known = done.get(each);
    if (known) return known;
    const closed: Schema = {};
    done.set(each, closed);
    const replace = (inner: Schema, keyword: string) =>
      keyword === 'not' ? inner : close(inner, compositions.includes(keyword) ? keyword : undefined);
    Object.assign(closed, withSubschemas(each, replace));
    if (partOf === undefined) Object.assign(closed, refusal(each));
    else if (partOf !== 'allOf' && isFree(each)) closed.additionalProperties = true;
    if (closesEnums && each['x-extensible-enum']) closed.enum = each['x-extensible-enum'];
    return closed;
  };
  return close(schema);
}

function refusal(schema: Schema): Schema {
  if (!listsProperties(schema)) return {};
  if (partsOf(schema).length > 0) return { unevaluatedProperties: false };
  return { additionalProperties: schema.additionalProperties ?? false };
}

function listsProperties(schema: Schema): boolean {
  return schema.properties !== undefined || partsOf(schema).some(listsProperties);
}

/** An object of which nothing more is said may have any property. */
function isFree(schema: Schema): boolean {
  return schema.type === 'object' && schema.additionalProperties === undefined && !listsProperties(schema);
}

function partsOf(schema: Schema): Schema[] {
  return compositions.flatMap((keyword) => (schema[keyword] as Schema[] | undefined) ?? []);
}
