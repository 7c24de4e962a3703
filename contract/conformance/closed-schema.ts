import type { Schema } from '../document/model.ts';
import { schemaCopier } from '../document/schema-copier.ts';

const compositions = ['allOf', 'anyOf', 'oneOf'];

/**
 * Closes every object that lists its properties, unless the schema explicitly allows others. A composition accepts the
 * properties of all of its schemas (`unevaluatedProperties` of draft 2019-09).
 * @param closesEnums whether only the values of `x-extensible-enum` are accepted
 */
export function closedSchema(schema: Schema, closesEnums = false): Schema {
  const closeEnum = (closed: Schema, each: Schema): void => {
    if (closesEnums && each['x-extensible-enum']) closed.enum = each['x-extensible-enum'];
  };
  const replace = (inner: Schema, keyword: string): Schema => {
    if (keyword === 'not') return inner;
    if (keyword === 'allOf') return partOf(inner);
    return compositions.includes(keyword) ? alternativeOf(inner) : wholeOf(inner);
  };
  const wholeOf = schemaCopier((closed, each) => {
    Object.assign(closed, refusal(each));
    closeEnum(closed, each);
  }, replace);
  const partOf = schemaCopier(closeEnum, replace);
  const alternativeOf = schemaCopier((closed, each) => {
    if (isFree(each)) closed.additionalProperties = true;
    closeEnum(closed, each);
  }, replace);
  return wholeOf(schema);
}

function refusal(schema: Schema): Schema {
  if (!listsProperties(schema)) return {};
  if (partsOf(schema).length > 0) return { unevaluatedProperties: false };
  return schema.additionalProperties === undefined ? { additionalProperties: false } : {};
}

function listsProperties(schema: Schema): boolean {
  return schema.properties !== undefined || partsOf(schema).some(listsProperties);
}

/** An object without further description may have any property. */
function isFree(schema: Schema): boolean {
  return schema.type === 'object' && schema.additionalProperties === undefined && !listsProperties(schema);
}

function partsOf(schema: Schema): Schema[] {
  return compositions.flatMap((keyword) => (schema[keyword] as Schema[] | undefined) ?? []);
}
