/** Schemas that the request validator cannot compile: every request would fail. */
import type { Fault, Place } from '../../contract/document/faults/fault.ts';

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

function patternFault(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^.*: /s, '');
  }
}
