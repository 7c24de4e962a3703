/** Schemas, and what else documents of APIs have, in short: `import * as t`. */

export const json = (schema: object) => ({ 'application/json': { schema } });
export const string = { type: 'string' };
export const count = { type: 'integer' };
export const text = (maxLength: number, more: object = {}) => ({ ...string, minLength: 1, maxLength, ...more });
export const number = (minimum: number, maximum: number, type = 'integer') => ({ type, minimum, maximum });
export const day = { ...string, format: 'date' };
export const time = { ...string, format: 'date-time' };
export const oneOf = (...values: string[]) => ({ ...string, enum: values });
export const nullable = (schema: object) => ({ ...schema, nullable: true });
export const readOnly = (schema: object) => ({ ...schema, readOnly: true });
export const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
export const said = (schema: object, description: string) => ({ ...schema, description });
/** An object whose fields may all be left out. */
export const partial = (properties: object) => ({ type: 'object', properties });
/** @param optional the names of fields that may be left out */
export function object<Fields extends object>(properties: Fields, optional: (keyof Fields)[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name as keyof Fields));
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}
/** Of identifiers such as `acc_0a1b2c3d`. */
export const identifier = (prefix: string) => ({ ...string, pattern: `^${prefix}_[0-9a-f]{8}$` });
export const inQuery = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
export const bearer = { type: 'http', scheme: 'bearer' };

/** A response whose header says which version of the item it has. */
export const versioned = (schema: object) => {
  return { description: 'It', headers: { ETag: { schema: string } }, content: json(schema) };
};
