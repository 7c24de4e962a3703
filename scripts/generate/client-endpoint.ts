import type { Endpoint, ResponseForm } from '../../client/endpoint.ts';
import type { ApiDocument, DocumentedResponse, Operation, Parameter } from '../../contract/document/model.ts';
import { bodyFormOf } from './client-body.ts';
import { errorsOf } from './client-errors.ts';

/** The entry of an operation in the client's table, without absent parts. */
export function endpointOf(document: ApiDocument, operation: Operation): Endpoint {
  const { method, path, servers, parameters, requestBody, security } = operation;
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
    ...(requestBody && { requestMediaType: requestMediaTypeOf(requestBody.content) }),
    ...acceptOf(successes.map(([, response]) => response)),
    responses: Object.fromEntries(successes.map(([status, response]) => [status, responseFormOf(operation, response)])),
    errorStatuses: errorsOf(document, operation).map(({ status }) => status),
    security,
  };
}

/** The path parameters, in the order of the path. */
export function pathParametersOf({ path, parameters }: Operation): Parameter[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name]) =>
    parameters.filter((parameter) => parameter.in === 'path' && parameter.name === name),
  );
}

/** The responses that are not errors, by status. A redirect is included, but the client does not follow it. */
export function successesOf({ responses }: Operation): [status: string, DocumentedResponse][] {
  return Object.entries(responses).filter(([status]) => /^[23]/.test(status));
}

/** The form in which the caller gets the body of a success. */
export function responseFormOf({ method }: Operation, { content }: DocumentedResponse): ResponseForm {
  const form = bodyFormOf(content);
  if (form === undefined || method === 'head') return { as: 'none' };
  if (form.as === 'json') return { as: 'json' };
  return { as: form.as === 'text' ? 'text' : 'bytes', mediaTypes: form.mediaTypes };
}

/** If there are several media types, the caller chooses one as the type of a Blob. */
function requestMediaTypeOf(content: DocumentedResponse['content']): string {
  const { mediaTypes: [mediaType = '*/*', ...others] = [] } = bodyFormOf(content) ?? {};
  return others.length > 0 || mediaType.includes('*') ? '*/*' : mediaType;
}

/** Requests JSON if the service could choose another media type, which the client would not read. */
function acceptOf(responses: readonly DocumentedResponse[]): { accept?: string } {
  const isChoice = responses.some(
    ({ content }) => Object.keys(content).length > 1 && bodyFormOf(content)?.as === 'json',
  );
  return isChoice ? { accept: 'application/json' } : {};
}

/** The `typeof` of a value of the schema's type, or `any`. */
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
