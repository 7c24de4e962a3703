import { parameterStyles } from '../message-parts.ts';
import { suggestedId } from '../operation-ids.ts';
import type { Schema } from '../model.ts';
import type { RawDocument, RawSecurityScheme } from '../raw.ts';
import { entriesOf, type Fault, placedOperations } from './fault.ts';
import { likePaths } from './operation-faults.ts';
import { described, listsOf, type PlacedParameter } from './parameter-faults.ts';

/**
 * Features of OpenAPI that the generators do not support. The suite accepts such a document: it names operations
 * itself, and reports checks as not run if it cannot make their requests.
 */
export function* unsupportedFaults(document: RawDocument): Iterable<Fault> {
  const parameters = new Map<string, PlacedParameter>();
  for (const placed of placedOperations(document)) {
    const { place, name, path, operation } = placed;
    if (typeof (operation.operationId as unknown) !== 'string')
      yield {
        place,
        message: `${name} has no operationId; write one in camel case, such as operationId: ${suggestedId(String(place.at(-1)), path)}`,
      };
    if (entriesOf(operation.responses).length === 0)
      yield { place, message: `${name} has no responses; write at least the one of success, such as '200'` };
    for (const parameter of listsOf(placed).flat()) parameters.set(JSON.stringify(parameter.place), parameter);
  }
  for (const parameter of parameters.values()) yield* parameterFaults(parameter);
  yield* likePaths(document);
  for (const [name, scheme] of entriesOf<RawSecurityScheme | undefined>(document.components?.securitySchemes))
    if (scheme && !isSupported(scheme))
      yield {
        place: ['components', 'securitySchemes', name],
        message: `the security scheme ${name} (${kindOf(scheme)}) is not supported; write type: apiKey with in: header, or type: http with scheme: bearer`,
      };
}

function* parameterFaults(parameter: PlacedParameter): Iterable<Fault> {
  const { place, name, in: where, style, content, schema } = parameter;
  if (name === undefined || where === undefined || !(where in parameterStyles)) return;
  const supported = parameterStyles[where];
  if (isObject(schema) || isObject(schema?.items)) {
    yield {
      place,
      message: `${described(parameter)} is made of objects, which is not supported; describe each field as a parameter of its own`,
    };
    return;
  }
  if (style !== undefined && style !== supported)
    yield {
      place: [...place, 'style'],
      message: `${described(parameter)} has the style ${style}, which is not supported; write style: ${supported}, or leave it out`,
    };
  if (content !== undefined)
    yield {
      place: [...place, 'content'],
      message: `${described(parameter)} is described by content, which is not supported; describe it by schema`,
    };
  else if (schema === undefined)
    yield { place, message: `${described(parameter)} has no schema; write one, such as schema: { type: string }` };
  else if (!isReadable((schema.type === 'array' ? schema.items : schema) ?? {}))
    yield {
      place: [...place, 'schema'],
      message: `the schema of ${described(parameter)} has no type by which a text could be read; write type: string, integer, number or boolean in it, or in the items of its array`,
    };
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
  return type === 'apiKey' ? where === 'header' && name !== undefined : type === 'http' && isBearer(scheme);
}

function isBearer(scheme: string | undefined): boolean {
  return scheme?.toLowerCase() === 'bearer';
}

function kindOf({ type, in: where, scheme }: RawSecurityScheme): string {
  return [type, scheme, where && `in ${where}`].filter((word) => word !== undefined).join(' ');
}
