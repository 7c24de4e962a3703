/**
 * Checks a response against the document: status, media type, headers with their schemas, the body with closed objects, an
 * error code that belongs to the status, and the relations within a body that a schema cannot say.
 */
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { documentedPlace } from './documented-place.ts';
import { withUsualSpace } from './header-fields.ts';
import { contentOfType, isJson, mediaTypeOf } from './media-type.ts';
import { relationViolations } from './relations.ts';
import { schemaViolations } from './schema-violations.ts';
import { valueOfText } from './text-value.ts';
import type { ContractRule, Violation } from './violation.ts';

/** A response as it came over the wire; header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** How strict the suite is with fields and codes that the document does not know. */
export interface ConformanceOptions {
  /** For targets that extend the contract: unknown fields and unknown error codes are accepted. */
  readonly allowExtraFields: boolean;
  /** The document to check against; by default the project's own. */
  readonly document?: ApiDocument;
}

/** Every way in which a response to this request breaks the document; empty if it conforms. */
export function responseViolations(
  method: string,
  path: string,
  response: HttpResponse,
  options: ConformanceOptions = { allowExtraFields: false },
): Violation[] {
  const { document = ownDocument } = options;
  const found = documentedPlace(document, method, path, response.status);
  if (!found) {
    // A document that says nothing of requests which call no operation promises nothing of their responses.
    const silent = !matchOperation(document, method, path) && Object.keys(document.serviceResponses).length === 0;
    return silent ? [] : broken('status', [`the status ${response.status} is not documented for ${method} ${path}`]);
  }
  const { operation, response: documented } = found;
  return [
    ...headerViolations(documented, response),
    ...(response.status === 405 ? allowViolations(document, path, response) : []),
    ...(response.status === 429 ? retryAfterViolations(response) : []),
    ...bodyViolations(method, operation, documented, response, document, options),
  ];
}

function broken(rule: ContractRule, messages: string[]): Violation[] {
  return messages.map((message) => ({ rule, message }));
}

function brokenHeader(header: string, messages: string[]): Violation[] {
  return messages.map((message) => ({ rule: 'header', header, message }));
}

function headerViolations({ headers }: DocumentedResponse, response: HttpResponse): Violation[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    const value = response.headers[name.toLowerCase()];
    if (value === undefined) return required ? brokenHeader(name, [`the header ${name} is missing`]) : [];
    const faultsOf = (text: string) => schemaViolations(`the header ${name}`, schema, valueOfText(schema, text), false);
    const faults = faultsOf(value);
    return brokenHeader(name, faults.length > 0 && faultsOf(withUsualSpace(value)).length === 0 ? [] : faults);
  });
}

function retryAfterViolations({ headers }: HttpResponse): Violation[] {
  const window = /;w=(\d+)/.exec(headers['ratelimit-policy'] ?? '')?.[1];
  return window !== undefined && Number(headers['retry-after']) > Number(window)
    ? brokenHeader('Retry-After', [`the header Retry-After is longer than the window of ${window} s`])
    : [];
}

function allowViolations(document: ApiDocument, path: string, response: HttpResponse): Violation[] {
  const allowed = (response.headers['allow'] ?? '').split(/, */);
  const missing = operationsOfPath(document, path)
    .map(({ method }) => method.toUpperCase())
    .filter((method) => !allowed.includes(method));
  return brokenHeader(
    'Allow',
    missing.map((method) => `the header Allow does not list ${method}`),
  );
}

function bodyViolations(
  method: string,
  operation: Operation | undefined,
  { content }: DocumentedResponse,
  response: HttpResponse,
  document: ApiDocument,
  { allowExtraFields }: ConformanceOptions,
): Violation[] {
  const isHead = method.toLowerCase() === 'head';
  if (isHead && response.text !== '') return broken('body', ['a response to HEAD has a body']);
  if (Object.keys(content).length === 0)
    return response.text === '' ? [] : broken('body', ['the response has a body, but none is documented']);
  const sent = response.headers['content-type'] ?? '(none)';
  const mediaType = mediaTypeOf(sent);
  const documented = contentOfType(content, mediaType);
  if (!documented) return broken('media type', [`the media type ${mediaType} is not documented`]);
  if (isHead || !isJson(mediaType)) return [];
  let body: unknown;
  try {
    body = JSON.parse(response.text);
  } catch {
    return broken('body', ['the body is not JSON']);
  }
  const violations = schemaViolations('the body', documented.schema, body, allowExtraFields);
  if (violations.length > 0) return broken('body', violations);
  if (response.status < 400) return broken('relation', relationViolations(operation?.operationId, body));
  const { error_code: code } = (body ?? {}) as { error_code?: string };
  const belonging = Object.values(documented.examples).map(
    ({ value }) => (value as { error_code?: string }).error_code,
  );
  const known = document.schemas['Error']?.properties?.['error_code']?.['x-extensible-enum'] ?? [];
  if (code === undefined || belonging.includes(code) || (allowExtraFields && !known.includes(code))) return [];
  return broken('error code', [`the error code ${code} does not belong to the status ${response.status}`]);
}
