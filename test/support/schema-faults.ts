import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';

/** How a value breaks a JSON Schema, of draft-04 too as long as it names no bound as exclusive. */
export function schemaFaults(schema: Readonly<Record<string, unknown>>, value: unknown): ErrorObject[] {
  const keywords = Object.entries(schema).filter(([name]) => name !== '$schema' && name !== 'id');
  // Not with the flag u, under which a pattern of the schema of SARIF is malformed.
  const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true, unicodeRegExp: false }));
  const validate = ajv.compile(Object.fromEntries(keywords));
  validate(value);
  return validate.errors ?? [];
}
