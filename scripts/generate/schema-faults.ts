/** Schemas that the request validator cannot compile, or by which it cannot choose. */
import { isDeepStrictEqual } from 'node:util';
import { entriesOf, type Fault, type Place } from '../../contract/document/faults.ts';
import type { Schema } from '../../contract/document/model.ts';
import { statedValues } from '../../contract/document/schemas.ts';

/** Keywords that contain values, not schemas. */
const valueKeys = /^(examples?|value|default|enum|x-.*)$/;

/** Finds patterns and `nullable` that the validator refuses, anywhere in the raw document. */
export function* schemaKeywordFaults(node: unknown, place: Place = []): Iterable<Fault> {
  if (typeof node !== 'object' || node === null) return;
  const { pattern, nullable, type } = node as Record<string, unknown>;
  const fault = typeof pattern === 'string' ? patternFault(pattern) : undefined;
  if (fault !== undefined)
    yield {
      place: [...place, 'pattern'],
      message: `the pattern ${String(pattern)} is not a regular expression in Unicode mode (${fault}); write one that new RegExp(pattern, 'u') accepts, such as ^[\\w.-]+$`,
    };
  if (nullable === true && type === undefined)
    yield {
      place: [...place, 'nullable'],
      message:
        'nullable without a type means nothing in OpenAPI 3.0; write the type beside it, or anyOf of the schema and { type: object, nullable: true, enum: [null] }',
    };
  for (const [key, child] of Object.entries(node))
    if (place.at(-1) === 'properties' || !valueKeys.test(key))
      yield* schemaKeywordFaults(child, [...place, Array.isArray(node) ? Number(key) : key]);
}

interface Discriminator {
  readonly propertyName?: unknown;
  readonly mapping?: Readonly<Record<string, string>>;
}

/** Finds discriminators in a request whose values choose no schema. `named` has the schemas of the document by name. */
export function* discriminatorFaults(
  schema: Schema | undefined,
  place: Place,
  named: Readonly<Record<string, Schema>>,
  seen = new Set<Schema>(),
): Iterable<Fault> {
  if (typeof schema !== 'object' || (schema as object | null) === null || seen.has(schema)) return;
  seen.add(schema);
  const { discriminator, oneOf, anyOf } = schema as Schema & { discriminator?: Discriminator };
  const alternatives = (oneOf ?? anyOf) as readonly Schema[] | undefined;
  if (typeof discriminator?.propertyName === 'string') {
    const { propertyName, mapping } = discriminator;
    if (!alternatives)
      yield {
        place: [...place, 'discriminator'],
        message: `the discriminator ${propertyName} has no oneOf beside it, so that its values choose no schema; write oneOf with a reference to each schema, or remove the discriminator`,
      };
    for (const [index, alternative] of (alternatives ?? []).entries()) {
      const at = [...place, oneOf ? 'oneOf' : 'anyOf', index];
      const [name] = entriesOf(named).find(([, each]) => each === alternative) ?? [];
      const mapped = entriesOf(mapping)
        .filter(([, target]) => nameIn(target) === name)
        .map(([value]) => value);
      const values = mapped.length > 0 ? mapped : [name];
      if (name === undefined)
        yield {
          place: at,
          message: `this schema has no name, which would be its value of the discriminator ${propertyName}; write it under components/schemas, and refer to it here`,
        };
      else if (!isDeepStrictEqual(new Set(statedValues(alternative, propertyName)), new Set(values)))
        yield {
          place: at,
          message: `${name} does not say by which ${propertyName} it is chosen; write ${propertyName} under its required, and enum: [${values.join(', ')}] in the property`,
        };
    }
    for (const [value, target] of entriesOf(mapping))
      if (!alternatives?.includes(named[nameIn(target)] ?? {}))
        yield {
          place: [...place, 'discriminator', 'mapping', value],
          message: `${value} chooses ${target}, which is none of the alternatives; refer to it beside the discriminator, or remove ${value}`,
        };
  }
  for (const [key, child] of entriesOf(schema))
    if (place.at(-1) === 'properties' || !valueKeys.test(key))
      yield* discriminatorFaults(child as Schema, [...place, Array.isArray(schema) ? Number(key) : key], named, seen);
}

/** The name of a schema in a reference to it, or in a bare name. */
function nameIn(target: string): string {
  return target.replace(/^.*\//, '');
}

function patternFault(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^.*: /s, '');
  }
}
