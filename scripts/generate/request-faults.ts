/** Parts of requests that OpenAPI allows, but that the server would not enforce or could not read. */
import { entriesOf, type Fault, type Place, type PlacedOperation, listsOf } from '../../contract/document/faults.ts';
import type { Schema } from '../../contract/document/model.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { isJson } from '../../contract/oracle/body.ts';
import { discriminatorFaults } from './schema-faults.ts';

/** Finds methods, media types and parameters that the server cannot serve. */
export function* requestFaults(placed: PlacedOperation, { components }: RawDocument): Iterable<Fault> {
  yield* methodFaults(placed);
  for (const [mediaType, { schema = {} }] of entriesOf(placed.operation.requestBody?.content)) {
    const at: Place = [...placed.place, 'requestBody', 'content', mediaType];
    yield* mediaTypeFaults(placed, at, schema);
    yield* discriminatorFaults(schema, [...at, 'schema'], components?.schemas ?? {});
  }
  yield* queryFaults(placed);
}

function* methodFaults({ place, name, operation }: PlacedOperation): Iterable<Fault> {
  const method = String(place.at(-1));
  if (method === 'head')
    yield { place, message: `${name} is a HEAD, which the server derives from GET; describe it as get` };
  if (method === 'trace')
    yield {
      place,
      message: `${name} is a TRACE, which browsers and the client cannot send; describe it as get or post`,
    };
  if (method === 'get' && operation.requestBody)
    yield {
      place: [...place, 'requestBody'],
      message: `${name} has a request body, which browsers and the client cannot send with GET; describe it as post, or its fields as query parameters`,
    };
}

function* mediaTypeFaults({ name }: PlacedOperation, at: Place, schema: Schema): Iterable<Fault> {
  const mediaType = String(at.at(-1));
  if (mediaType.includes(';'))
    yield {
      place: at,
      message: `the media type ${mediaType} of ${name} has a parameter, which no request would match; write ${mediaType.replace(/ *;.*/s, '')}`,
    };
  else if (/^(multipart\/|application\/x-www-form-urlencoded$)/i.test(mediaType))
    yield {
      place: at,
      message: `the request body of ${name} is a form (${mediaType}), which is not supported; write application/json, or send a file as the whole body in its own media type, such as application/pdf`,
    };
  else if (!isJson(mediaType) && !isBytes(schema))
    yield {
      place: [...at, 'schema'],
      message: `${mediaType} is read as bytes, so that nothing else of its schema would be enforced; write schema: { type: string, format: binary }, and what the bytes must be in the description`,
    };
}

/** Whether a schema only says that a body is text or bytes. */
function isBytes({ type, format, ...others }: Schema): boolean {
  const remarks = /^(description|title|example|deprecated|x-.*)$/;
  return (
    (type ?? 'string') === 'string' &&
    (format ?? 'binary') === 'binary' &&
    Object.keys(others).every((keyword) => remarks.test(keyword))
  );
}

function* queryFaults(placed: PlacedOperation): Iterable<Fault> {
  for (const { place, in: where, name = '', allowEmptyValue } of listsOf(placed).flat()) {
    if (where !== 'query') continue;
    if (/[[\]]/.test(name))
      yield {
        place: [...place, 'name'],
        message: `the query parameter ${name} has brackets in its name, which are read as the field of an object; write ${name.replaceAll(/\[(\w+)\]/g, '_$1').replaceAll(/[[\]]/g, '')}`,
      };
    if (allowEmptyValue === true)
      yield {
        place: [...place, 'allowEmptyValue'],
        message: `the query parameter ${name} may be empty, which is not supported; remove allowEmptyValue`,
      };
  }
}
