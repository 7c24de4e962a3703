/** Features of OpenAPI that the generators do not support. The suite accepts them. */
import { suggestedId } from '../../contract/document/document-of.ts';
import {
  described,
  entriesOf,
  fault,
  type Fault,
  isParameter,
  likePaths,
  listsOf,
  placedOperations,
  type PlacedParameter,
} from '../../contract/document/faults.ts';
import { parameterStyles, type Schema } from '../../contract/document/model.ts';
import type { RawDocument, RawSecurityScheme } from '../../contract/document/raw.ts';

/** Finds the features of a document that the generators do not support. */
export function* unsupportedFaults(document: RawDocument): Iterable<Fault> {
  const parameters = new Map<string, PlacedParameter>();
  for (const placed of placedOperations(document)) {
    const { place, name, path, operation } = placed;
    if (typeof (operation.operationId as unknown) !== 'string')
      yield fault(
        place,
        `${name} has no operationId; write one in camel case, such as operationId: ${suggestedId(String(place.at(-1)), path)}`,
      );
    if (entriesOf(operation.responses).length === 0)
      yield fault(place, `${name} has no responses; write at least the one of success, such as '200'`);
    for (const parameter of listsOf(placed).flat()) parameters.set(JSON.stringify(parameter.place), parameter);
  }
  for (const parameter of parameters.values()) yield* parameterFaults(parameter);
  yield* likePaths(document);
  for (const [name, scheme] of entriesOf<RawSecurityScheme | undefined>(document.components?.securitySchemes))
    if (scheme && !isSupported(scheme))
      yield fault(
        ['components', 'securitySchemes', name],
        `the security scheme ${name} (${kindOf(scheme)}) is not supported; write type: apiKey with in: header, or type: http with scheme: bearer`,
      );
}

function* parameterFaults(parameter: PlacedParameter): Iterable<Fault> {
  if (!isParameter(parameter)) return;
  const { place, style, content, schema } = parameter;
  const what = described(parameter);
  const supported = parameterStyles[parameter.in];
  if (isObject(schema) || isObject(schema?.items)) {
    yield fault(
      place,
      `${what} is made of objects, which is not supported; describe each field as a parameter of its own`,
    );
    return;
  }
  if (style !== undefined && style !== supported)
    yield fault(
      [...place, 'style'],
      `${what} has the style ${style}, which is not supported; write style: ${supported}, or leave it out`,
    );
  if (content !== undefined)
    yield fault(
      [...place, 'content'],
      `${what} is described by content, which is not supported; describe it by schema`,
    );
  else if (schema === undefined)
    yield fault(place, `${what} has no schema; write one, such as schema: { type: string }`);
  else if (!isReadable((schema.type === 'array' ? schema.items : schema) ?? {}))
    yield fault(
      [...place, 'schema'],
      `the schema of ${what} has no type by which a text could be read; write type: string, integer, number or boolean in it, or in the items of its array`,
    );
}

/** Whether a text can be read as a value of the schema: by its type, or as text if it says nothing of values. */
function isReadable({ type, ...schema }: Schema): boolean {
  if (type === undefined) return !['allOf', 'anyOf', 'oneOf', 'not', 'enum'].some((keyword) => keyword in schema);
  return ['string', 'integer', 'number', 'boolean'].includes(type);
}

function isObject(schema: Schema | undefined): boolean {
  return schema !== undefined && (schema.type === 'object' || schema.properties !== undefined);
}

function isSupported({ type, in: where, name, scheme }: RawSecurityScheme): boolean {
  return type === 'apiKey'
    ? where === 'header' && name !== undefined
    : type === 'http' && scheme?.toLowerCase() === 'bearer';
}

function kindOf({ type, in: where, scheme }: RawSecurityScheme): string {
  return [type, scheme, where && `in ${where}`].filter((word) => word !== undefined).join(' ');
}
