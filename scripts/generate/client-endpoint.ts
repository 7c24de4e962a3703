import type { Endpoint, ResponseForm } from '../../client/endpoint.ts';
import type { ApiDocument, DocumentedResponse, Operation, Parameter } from '../../contract/document/model.ts';
import { bodyFormOf } from './client-body.ts';
import { errorsOf } from './client-errors.ts';

/**
 * The row of an operation in the client's table. What it does not have is undefined.
 * @throws if it has a parameter that the client has no form for
 */
export function endpointOf(document: ApiDocument, operation: Operation): Endpoint {
  const { operationId, method, path, servers, parameters, requestBody, security } = operation;
  const cookie = parameters.find((parameter) => parameter.in === 'cookie');
  if (cookie) throw new Error(`${operationId}: the client has no form for the cookie parameter ${cookie.name}`);
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  const successes = successesOf(operation);
  return {
    method,
    path,
    base: servers ? 'caseBaseUrl' : 'baseUrl',
    ...entriesOf('pathParameters', pathParametersOf(operation), ({ name, schema }) => [name, typeNameOf(schema.type)]),
    ...entriesOf('query', query, ({ name, explode }) => [name, { explode }]),
    ...(headers.length > 0 && { headers }),
    ...(requestBody && { requestMediaType: requestMediaTypeOf(operation, requestBody.content) }),
    ...acceptOf(successes.map(([, response]) => response)),
    responses: Object.fromEntries(successes.map(([status, response]) => [status, responseFormOf(operation, response)])),
    errorStatuses: errorsOf(document, operation).map(({ status }) => status),
    security,
  };
}

/** The path parameters, in the order of the path. */
export function pathParametersOf({ operationId, path, parameters }: Operation): Parameter[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    if (!parameter) throw new Error(`${operationId}: the path parameter ${name} is not described`);
    return parameter;
  });
}

/**
 * The responses that are no errors, by status. A redirect is one: the client does not follow it.
 * @throws if there is none
 */
export function successesOf({ operationId, responses }: Operation): [status: string, DocumentedResponse][] {
  const successes = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  if (successes.length === 0) throw new Error(`${operationId}: no response with a status from 200 to 399 is described`);
  return successes;
}

/** How the body of a success is given to the caller. */
export function responseFormOf({ method }: Operation, { content }: DocumentedResponse): ResponseForm {
  const form = bodyFormOf(content);
  if (form === undefined || method === 'head') return { as: 'none' };
  if (form.as === 'json') return { as: 'json' };
  return { as: form.as === 'text' ? 'text' : 'bytes', mediaTypes: form.mediaTypes };
}

/** Of several media types the caller chooses one, as the type of a Blob. */
function requestMediaTypeOf({ operationId }: Operation, content: DocumentedResponse['content']): string {
  const { mediaTypes: [mediaType, ...others] = [] } = bodyFormOf(content) ?? {};
  if (mediaType === undefined) throw new Error(`${operationId}: the request body has no media type`);
  return others.length > 0 || mediaType.includes('*') ? '*/*' : mediaType;
}

/** Asks for JSON where the service could choose another media type, which the client would not read. */
function acceptOf(responses: readonly DocumentedResponse[]): { accept?: string } {
  const isChoice = responses.some(
    ({ content }) => Object.keys(content).length > 1 && bodyFormOf(content)?.as === 'json',
  );
  return isChoice ? { accept: 'application/json' } : {};
}

/** What `typeof` says of a value of the schema's type, or `any`. */
function typeNameOf(type: string | undefined): string {
  if (type === 'integer') return 'number';
  return type === 'array' ? 'object' : (type ?? 'any');
}

function entriesOf<Key extends string, Item, Value>(
  key: Key,
  items: readonly Item[],
  entry: (item: Item) => [string, Value],
): Partial<Record<Key, Record<string, Value>>> {
  const record: Partial<Record<Key, Record<string, Value>>> = {};
  if (items.length > 0) record[key] = Object.fromEntries(items.map(entry));
  return record;
}
