/** Checks a response against the document: status, headers, media type and body, and what this API has decided beyond it. */
import { isUtf8 } from 'node:buffer';
import { matchOperation } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse, MediaType, Operation } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import { isPublishedFile, ruleViolations } from '../own-api/response-rules.ts';
import { contentOfType, isJson, mediaTypeOf, withoutParameters } from './body.ts';
import { isObject, parsed } from './json.ts';
import { broken, brokenHeader, type HttpResponse, type Violation } from './messages.ts';
import { valueOfText } from './parameters.ts';
import { schemaViolations } from './schema.ts';

/** How strictly to treat fields and codes that the document does not list. */
export interface ConformanceOptions {
  /** Accepts unknown fields and error codes, for targets that extend the contract; other APIs may always have them. */
  readonly allowExtraFields: boolean;
  /** The document to check against; by default the project's own. */
  readonly document?: ApiDocument;
}

/** The violations of the document in the response to this request; empty if it conforms. */
export function responseViolations(
  method: string,
  path: string,
  response: HttpResponse,
  { document = ownDocument, allowExtraFields }: ConformanceOptions = { allowExtraFields: false },
): Violation[] {
  const isOwn = isOwnApi(document);
  if (isOwn && isPublishedFile(path) && [200, 304].includes(response.status)) return [];
  const found = documentedPlace(document, method, path, response.status);
  if (!found) {
    // A document without responses for requests that match no operation promises nothing about them.
    const isSilent = !matchOperation(document, method, path) && Object.keys(document.serviceResponses).length === 0;
    return isSilent ? [] : broken('status', [`the status ${response.status} is not documented for ${method} ${path}`]);
  }
  const body = bodyViolations(method, found.response, response, isOwn, allowExtraFields || !isOwn);
  const ofHeaders = headerViolations(found.response, response);
  if (!isOwn) return [...ofHeaders, ...(Array.isArray(body) ? body : [])];
  const [ofBody, sound] = Array.isArray(body)
    ? [body, undefined]
    : [errorCodeViolations(document, body, response, allowExtraFields), body.value];
  const ofRules = ruleViolations(document, { method, path }, response, sound);
  return [...ofHeaders, ...repeatedHeaders(response), ...ofBody, ...ofRules];
}

/** The documentation of a response and its place, such as `getCase.404`, or `service.404` without an operation; else undefined. */
export function documentedPlace(document: ApiDocument, method: string, path: string, status: number) {
  const operation = matchOperation(document, method, path);
  const service = document.serviceResponses;
  const responses = operation?.responses ?? service;
  // A server sends these before it knows the operation.
  if ([408, 431].includes(status) && service[status] && !operation?.responses[status])
    return { operation: undefined, place: `service.${status}`, response: service[status] };
  const key = documentedKey(responses, status) ?? '';
  const response = responses[key];
  return response && { operation, place: `${nameOf(operation)}.${key}`, response };
}

/** The key of a status among documented responses: itself, its range, or `default`. */
export function documentedKey(responses: Operation['responses'], status: number): string | undefined {
  return [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((each) => responses[each]);
}

/** The name of an operation in the ids of checks; `service` for requests that match no operation. */
export function nameOf(operation: Pick<Operation, 'operationId'> | undefined): string {
  return operation?.operationId ?? 'service';
}

/** The header by which the mock says what it does not do. */
export const mockHeader = 'X-Mock-Accepts';

export function isMocked({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return headers[mockHeader.toLowerCase()] !== undefined;
}

function headerViolations({ headers }: DocumentedResponse, response: HttpResponse): Violation[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    const value = response.headers[name.toLowerCase()];
    if (value === undefined) return required ? brokenHeader(name, [`the header ${name} is missing`]) : [];
    const faultsOf = (text: string) => schemaViolations(`the header ${name}`, schema, valueOfText(schema, text), false);
    const faults = faultsOf(value);
    return brokenHeader(name, faults.length > 0 && faultsOf(inUsualForm(name, value)).length === 0 ? [] : faults);
  });
}

/** A header that is not a list may be sent only once (RFC 9110, section 5.3); Node.js hides the other lines. */
function repeatedHeaders({ fieldLines = {} }: HttpResponse): Violation[] {
  const repeated = ['Content-Type', 'X-Request-Id', 'Retry-After'].filter(
    (header) => (fieldLines[header.toLowerCase()] ?? []).length > 1,
  );
  return repeated.flatMap((header) => {
    const messages = [`the header ${header} is sent more than once`];
    return header === 'Content-Type' ? broken('media type', messages) : brokenHeader(header, messages);
  });
}

/** The code of an error must be that of an example of its status. */
function errorCodeViolations(
  { schemas }: ApiDocument,
  { media, value }: SoundBody,
  { status }: HttpResponse,
  allowExtraCodes: boolean,
): Violation[] {
  const codeOf = (body: unknown) => (isObject(body) ? (body['error_code'] as string | undefined) : undefined);
  const code = codeOf(value);
  const belonging = Object.values(media.examples).map((example) => codeOf(example.value));
  const known: readonly unknown[] = schemas['Error']?.properties?.['error_code']?.['x-extensible-enum'] ?? [];
  const isAllowed = belonging.includes(code) || (allowExtraCodes && !known.includes(code));
  if (status < 400 || code === undefined || isAllowed) return [];
  return broken('error code', [`the error code ${code} does not belong to the status ${status}`]);
}

interface SoundBody {
  readonly media: MediaType;
  readonly value: unknown;
}

/** A header's value without optional white space in lists, Cache-Control in lower case (RFC 9111, section 5.2). */
export function inUsualForm(name: string, value: string): string {
  const cased = /^cache-control$/i.test(name) ? value.toLowerCase() : value;
  return cased.replace(/"(?:[^"\\]|\\.)*"|[ \t]*([,;])[ \t]*/g, (found, mark?: string) =>
    mark === undefined ? found : mark === ',' ? ', ' : ';',
  );
}

/** What is wrong with a body, or its valid JSON value. @param open whether fields that the schema does not list are accepted */
function bodyViolations(
  method: string,
  { content }: DocumentedResponse,
  response: HttpResponse,
  isOwn: boolean,
  open: boolean,
): Violation[] | SoundBody {
  const { status, headers, text, bytes } = response;
  const isHead = method.toLowerCase() === 'head';
  if (isHead && text !== '') return broken('body', ['a response to HEAD has a body']);
  // These end with their header (RFC 9112, section 6.3). That of a 204 can announce content, which a client discards.
  if (status === 204 || status === 304) {
    const isAnnounced = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
    return text !== '' || (status === 204 && isAnnounced) ? broken('body', [`a response ${status} has a body`]) : [];
  }
  // Without documented content, only this API's document promises that there is no body.
  if (Object.keys(content).length === 0)
    return isOwn && text !== '' ? broken('body', ['the response has a body, but none is documented']) : [];
  const sent = headers['content-type'] ?? '(none)';
  // For a JSON body, this API's document allows no parameter but the charset.
  const mediaType = isOwn ? mediaTypeOf(sent) : sent.replace(/[ \t]*;.*/s, '');
  const media = contentOfType(content, mediaType);
  if (!media) return broken('media type', [`the media type ${mediaType} is not documented`]);
  if (isHead) return [];
  if (!isJson(mediaType)) return broken('body', textViolations(mediaType, media, text));
  if (bytes && !isUtf8(bytes)) return broken('body', ['the body is not valid UTF-8']);
  const value = parsed(text);
  if (value === undefined) return broken('body', ['the body is not JSON']);
  const violations = schemaViolations('the body', media.schema, value, open);
  // The member must be the status of the response (RFC 9457, section 3.1.2).
  const isProblem = withoutParameters(mediaType) === 'application/problem+json';
  const { status: told } = isProblem && isObject(value) ? value : {};
  if (typeof told === 'number' && told !== status)
    violations.push(`status in the body is ${told}, and the response's is ${status}`);
  return violations.length > 0 ? broken('body', violations) : { media, value };
}

/** A schema is applied to text only if it describes a single value; other bodies cannot be compared with a schema. */
function textViolations(mediaType: string, { schema }: MediaType, text: string): string[] {
  const isValue = ['string', 'integer', 'number', 'boolean'].includes(schema.type ?? '');
  return isValue && /^text\//i.test(mediaType)
    ? schemaViolations('the body', schema, valueOfText(schema, text), false)
    : [];
}
