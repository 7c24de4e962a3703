/** Schemas that the request validator cannot compile, or by which it cannot choose. */
import { entriesOf, type Fault, type Place } from '../../contract/document/faults/fault.ts';
import type { Schema } from '../../contract/document/model.ts';

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
    for (const [index, alternative] of (alternatives ?? []).entries())
      if (!Object.values(named).includes(alternative))
        yield {
          place: [...place, oneOf ? 'oneOf' : 'anyOf', index],
          message: `this schema has no name, which would be its value of the discriminator ${propertyName}; write it under components/schemas, and refer to it here`,
        };
    for (const [value, target] of entriesOf(mapping))
      if (!alternatives?.includes(named[target.replace(/^.*\//, '')] ?? {}))
        yield {
          place: [...place, 'discriminator', 'mapping', value],
          message: `${value} chooses ${target}, which is none of the alternatives; refer to it beside the discriminator, or remove ${value}`,
        };
  }
  for (const [key, child] of entriesOf(schema))
    if (place.at(-1) === 'properties' || !valueKeys.test(key))
      yield* discriminatorFaults(child as Schema, [...place, Array.isArray(schema) ? Number(key) : key], named, seen);
}

function patternFault(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^.*: /s, '');
  }
}
