import { errorOf } from '../../contract/document/document-of.ts';
import type {
  ApiDocument,
  DocumentedResponse,
  Operation,
  MediaType,
  Parameter,
} from '../../contract/document/model.ts';
import { hasOneWayFields } from '../../contract/document/schemas.ts';
import type { Endpoint, ResponseForm } from '../../client/endpoint.ts';

/** A value as TypeScript, without undefined properties. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A doc comment on lines of its own, which the text cannot end early. */
export function comment(text: string, indent = 0): string {
  const margin = ' '.repeat(indent);
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${margin}/** ${lines.join('')} */\n`;
  return `${margin}/**\n${lines.map((line) => `${margin} * ${line}`.trimEnd()).join('\n')}\n${margin} */\n`;
}

interface ErrorStatus {
  readonly status: string;
  readonly codes: readonly string[];
}

/** The errors of an operation, and those of the service, which any request can get. */
function errorsOf(document: ApiDocument, { responses }: Operation): ErrorStatus[] {
  return codesByStatus(responses, document.serviceResponses);
}

export function codesByStatus(...responses: Operation['responses'][]): ErrorStatus[] {
  const statuses = [...new Set(responses.flatMap((byStatus) => Object.keys(byStatus)))].sort();
  return statuses
    .filter((status) => !/^[123]/.test(status))
    .map((status) => ({
      status,
      codes: [...new Set(responses.flatMap((byStatus) => codesOf(status, byStatus[status])))],
    }));
}

/** The property of an operation in `ErrorCodes`. */
export function errorCodesOf(document: ApiDocument, operation: Operation): string {
  const statuses = errorsOf(document, operation).map(
    ({ status, codes }) => `    ${status}: ${codes.map((code) => `'${code}'`).join(' | ') || 'never'};\n`,
  );
  return `  ${operation.operationId}: {\n${statuses.join('')}  };`;
}

function codesOf(status: string, response: DocumentedResponse | undefined): string[] {
  const examples = Object.values(response?.content ?? {}).flatMap((mediaType) => Object.values(mediaType.examples));
  return examples.flatMap((example) => errorOf(status, example)?.[0] ?? []);
}

/** The form in which the caller gives or gets a body, and its media types. */
interface BodyForm {
  readonly as: 'json' | 'text' | 'bytes';
  readonly mediaTypes: readonly string[];
}

/** The form of a body; undefined if there is none. Of several media types, the client uses JSON. */
export function bodyFormOf(content: Readonly<Record<string, MediaType>>): BodyForm | undefined {
  const mediaTypes = Object.keys(content);
  const json = mediaTypes.find((mediaType) => /[/+]json$/.test(mediaType));
  if (json !== undefined) return { as: 'json', mediaTypes: [json] };
  if (mediaTypes.length === 0) return undefined;
  const isText = Object.entries(content).every(
    ([mediaType, { schema }]) =>
      mediaType.startsWith('text/') && schema.type === 'string' && schema.format !== 'binary',
  );
  return { as: isText ? 'text' : 'bytes', mediaTypes };
}

/**
 * The type of a body: the schema's name, or its place among the document's types. A request has the writable fields, a
 * response the readable ones.
 * @param place of the request or response in types.ts
 */
export function schemaTypeOf(
  document: ApiDocument,
  content: Readonly<Record<string, MediaType>>,
  { mediaTypes: [mediaType = ''] }: BodyForm,
  place: string,
  direction: 'Readable' | 'Writable',
): string {
  const whole = `${place}['content']['${mediaType}']`;
  if (hasOneWayFields(content[mediaType]?.schema ?? {})) return `${direction}<${whole}>`;
  const named = Object.entries(document.schemas).find(
    ([name, schema]) => isExported(name) && schema === content[mediaType]?.schema,
  );
  return named ? `schemas.${named[0]}` : whole;
}

/** Whether a schema has a type of its name: errors are classes of the client, and not every name is valid. */
export function isExported(schemaName: string): boolean {
  return schemaName !== 'Error' && /^[A-Za-z_]\w*$/.test(schemaName);
}

/** The entry of an operation in the client's table, without absent parts. */
export function endpointOf(document: ApiDocument, operation: Operation): Endpoint {
  const { method, path, servers, parameters, requestBody, security } = operation;
  const inPath = pathParametersOf(operation).map(({ name, schema }) => [name, typeNameOf(schema.type)] as const);
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  const successes = successesOf(operation);
  return {
    method,
    path,
    base: servers ? 'caseBaseUrl' : 'baseUrl',
    ...(inPath.length > 0 && { pathParameters: Object.fromEntries(inPath) }),
    ...(query.length > 0 && { query: Object.fromEntries(query.map(({ name, explode }) => [name, { explode }])) }),
    ...(headers.length > 0 && { headers }),
    ...(requestBody && { requestMediaType: requestMediaTypeOf(requestBody.content) }),
    ...acceptOf(successes.map(([, response]) => response)),
    responses: Object.fromEntries(successes.map(([status, { content }]) => [status, responseFormOf(content)])),
    errorStatuses: errorsOf(document, operation).map(({ status }) => status),
    security,
  };
}

export function pathParametersOf({ path, parameters }: Operation): Parameter[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name]) =>
    parameters.filter((parameter) => parameter.in === 'path' && parameter.name === name),
  );
}

/** The responses that are not errors, by status. A redirect is included, but the client does not follow it. */
export function successesOf({ responses }: Operation): [status: string, DocumentedResponse][] {
  return Object.entries(responses).filter(([status]) => /^[23]/.test(status));
}

function responseFormOf(content: DocumentedResponse['content']): ResponseForm {
  const { as, mediaTypes = [] } = bodyFormOf(content) ?? { as: 'none' };
  return as === 'text' || as === 'bytes' ? { as, mediaTypes } : { as };
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

/** The `typeof` of a value of the schema's type. */
function typeNameOf(type = 'string'): string {
  return type === 'integer' ? 'number' : type === 'array' ? 'object' : type;
}
