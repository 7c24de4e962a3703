/**
 * Checks a response against the document: status, media type, headers and their schemas, the body with closed objects,
 * an error code that belongs to the status, and the relations between fields that a schema cannot express.
 */
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import {
  type ConformanceOptions,
  type HttpResponse,
  type Violation,
  documentedPlace,
  inUsualForm,
  isPublishedFile,
} from './documented-response.ts';
import { bodyViolations } from './response-body.ts';
import { schemaViolations } from './schema.ts';
import { valueOfText } from './parameters.ts';

export type { ConformanceOptions, HttpResponse };

/** The violations of the document in the response to this request; empty if it conforms. */
export function responseViolations(
  method: string,
  path: string,
  response: HttpResponse,
  options: ConformanceOptions = { allowExtraFields: false },
): Violation[] {
  const { document = ownDocument } = options;
  const isOwn = isOwnApi(document);
  if (isOwn && isPublishedFile(path) && [200, 304].includes(response.status)) return [];
  const found = documentedPlace(document, method, path, response.status);
  if (!found) {
    // A document without responses for requests that match no operation promises nothing about them.
    const silent = !matchOperation(document, method, path) && Object.keys(document.serviceResponses).length === 0;
    const message = `the status ${response.status} is not documented for ${method} ${path}`;
    return silent ? [] : [{ rule: 'status', message }];
  }
  const { operation, response: documented } = found;
  return [
    ...headerViolations(documented, response),
    ...(isOwn ? decidedHeaderViolations(document, path, response) : []),
    ...bodyViolations({ method, document, documented, response, ...(operation && { operation }) }, options),
  ];
}

/** Violations of this project's decisions on headers. */
function decidedHeaderViolations(document: ApiDocument, path: string, response: HttpResponse): Violation[] {
  return [
    ...repeatedViolations(response),
    ...(response.status === 405 ? allowViolations(document, path, response) : []),
    ...(response.status === 429 ? retryAfterViolations(response) : []),
  ];
}

/** A header that is not a list may be sent only once (RFC 9110, section 5.3); Node.js hides the other lines. */
function repeatedViolations({ fieldLines = {} }: HttpResponse): Violation[] {
  const isRepeated = (header: string) => (fieldLines[header.toLowerCase()] ?? []).length > 1;
  const message = (header: string) => `the header ${header} is sent more than once`;
  return [
    ...(isRepeated('Content-Type') ? [{ rule: 'media type' as const, message: message('Content-Type') }] : []),
    ...['X-Request-Id', 'Retry-After']
      .filter(isRepeated)
      .map((header) => ({ rule: 'header' as const, header, message: message(header) })),
  ];
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
    return brokenHeader(name, faults.length > 0 && faultsOf(inUsualForm(name, value)).length === 0 ? [] : faults);
  });
}

function retryAfterViolations({ headers }: HttpResponse): Violation[] {
  const window = /;w=(\d+)/.exec(headers['ratelimit-policy'] ?? '')?.[1];
  return window !== undefined && Number(headers['retry-after']) > Number(window)
    ? brokenHeader('Retry-After', [`the header Retry-After is longer than the window of ${window} s`])
    : [];
}

/** The methods that `Allow` lists: those of the path, and HEAD if it has GET. */
export function allowedMethods(document: ApiDocument, path: string): string[] {
  const methods = operationsOfPath(document, path).map(({ method }) => method.toUpperCase());
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** `Allow` lists exactly the methods of the path, and HEAD if it has GET (decision D17). */
function allowViolations(document: ApiDocument, path: string, response: HttpResponse): Violation[] {
  const promised = allowedMethods(document, path);
  if (promised.length === 0) return [];
  const allowed = (response.headers['allow'] ?? '').split(/[ \t]*,[ \t]*/);
  return brokenHeader('Allow', [
    ...promised
      .filter((method) => !allowed.includes(method))
      .map((method) => `the header Allow does not list ${method}`),
    ...allowed
      .filter((method) => !promised.includes(method))
      .map((method) => `the header Allow lists ${shortened(method)}`),
  ]);
}

function shortened(method: string): string {
  return /^[A-Z]{1,20}$/.test(method) ? method : 'an invalid method';
}
