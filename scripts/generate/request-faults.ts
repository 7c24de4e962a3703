/** Parts of requests that OpenAPI allows, but that the server would not enforce or could not read. */
import { entriesOf, type Fault, type Place, type PlacedOperation, listsOf } from '../../contract/document/faults.ts';
import type { Schema } from '../../contract/document/model.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { isJson } from '../../contract/oracle/body.ts';
import { discriminatorFaults } from './schema-faults.ts';
import { parametersOf } from '../../contract/document/document-of.ts';
import { isAnySegment } from './sources.ts';

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

/** Finds the responses that the server sends on its own and that an operation does not document. */
export function* responseFaults(placed: PlacedOperation, document: RawDocument): Iterable<Fault> {
  const { place, name, operation } = placed;
  const statuses = entriesOf(operation.responses).map(([status]) => status);
  if (statuses.length === 0) return;
  for (const [status, reason] of ownResponses(placed, document))
    if (!statuses.includes(status))
      yield {
        place: [...place, 'responses'],
        message: `${name} does not document ${status}, with which ${reason}; write '${status}', as other operations have it`,
      };
}

function ownResponses({ item, operation }: PlacedOperation, document: RawDocument): [status: string, reason: string][] {
  const security = operation.security ?? document.security ?? [];
  const isRequired = (key: 'x-required-permission' | 'x-required-feature') => typeof operation[key] === 'string';
  const isRestricted = isRequired('x-required-permission') || isRequired('x-required-feature');
  const parameters = parametersOf(item, operation);
  // A path that violates a rule is unknown, if the operation documents 404.
  const hasNotFound = operation.responses?.['404'] !== undefined;
  const isChecked =
    operation.requestBody !== undefined ||
    parameters.some((each) => (each.in === 'path' ? !hasNotFound && !isAnySegment(each) : true));
  const needed: [isNeeded: boolean, status: string, reason: string][] = [
    [isChecked, '400', 'a parameter or a body that breaks its rule is refused'],
    [security.length > 0, '401', 'a request without a valid credential is refused'],
    [security.length > 0 && isRestricted, '403', 'a caller without the right is refused'],
    [operation.requestBody !== undefined, '413', 'a body that is too large is refused'],
    [operation.requestBody !== undefined, '415', 'a body of another media type is refused'],
    [true, '429', 'a request beyond the limit is refused'],
    [true, '500', 'an unexpected fault is reported'],
    [true, '503', 'a request is refused while the service is unavailable'],
  ];
  return needed.filter(([isNeeded]) => isNeeded).map(([, status, reason]) => [status, reason]);
}
