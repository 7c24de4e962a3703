import type { Schema } from './model.ts';
import { withSubschemas } from './subschemas.ts';

/**
 * Makes changed copies of schemas. Each is copied once, so that the copy of a recursive schema is recursive.
 * @param change changes a copy, whose subschemas have already been replaced
 * @param replace replaces a subschema; by default with a copy made in the same way
 */
export function schemaCopier(
  change: (copy: Schema, original: Schema) => void,
  replace?: (subschema: Schema, keyword: string) => Schema,
): (schema: Schema) => Schema {
  const copies = new Map<Schema, Schema>();
  const copyOf = (schema: Schema): Schema => {
    const known = copies.get(schema);
    if (known) return known;
    const copy: Schema = {};
    copies.set(schema, copy);
    Object.assign(copy, withSubschemas(schema, replace ?? copyOf));
    change(copy, schema);
    return copy;
  };
  return copyOf;
}
