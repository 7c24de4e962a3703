import type { Schema } from '../document/model.ts';

const compositions = ['allOf', 'anyOf', 'oneOf', 'not'];

/**
 * The schema with every object that lists its properties refusing others, unless it allows them in so many words.
 * @throws {Error} on a keyword for which that cannot be done
 */
export function closedSchema(schema: Schema): Schema {
  const composition = compositions.find((keyword) => keyword in schema);
  if (composition !== undefined) throw new Error(`A schema with ${composition} cannot be closed.`);
  const copy: Schema = { ...schema };
  if (schema.items) copy.items = closedSchema(schema.items);
  if (schema.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, closedSchema(property)]),
    );
    copy.additionalProperties = schema.additionalProperties ?? false;
  }
  return copy;
}
