import { matchOperation } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';

/** The documentation of a response. */
export interface DocumentedPlace {
  /** Absent if the request matches no operation. */
  readonly operation?: Operation;
  /** Its place in the document, such as `getCase.404`, or `service.404` if it belongs to no operation. */
  readonly place: string;
  readonly response: DocumentedResponse;
}

/** Finds the documentation of a response with this status; undefined if there is none. */
export function documentedPlace(
  document: ApiDocument,
  method: string,
  path: string,
  status: number,
): DocumentedPlace | undefined {
  const operation = matchOperation(document, method, path);
  const service = document.serviceResponses;
  const responses = operation?.responses ?? service;
  const range = `${Math.floor(status / 100)}XX`;
  const key = [String(status), range, 'default'].find((each) => responses[each]);
  const found = key === undefined ? undefined : responses[key];
  const beforeOperation = status === 431 || status === 408 ? service[String(status)] : undefined;
  if (beforeOperation && (!operation || !responses[String(status)]))
    return { place: `service.${status}`, response: beforeOperation };
  if (!found || key === undefined) return undefined;
  return { ...(operation && { operation }), place: `${nameOf(operation)}.${key}`, response: found };
}

/** The name of an operation in the ids of checks; `service` for requests that match no operation. */
export function nameOf(operation: Pick<Operation, 'operationId'> | undefined): string {
  return operation?.operationId ?? 'service';
}

/** A response as received; header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body before decoding; absent if it was not kept. */
  readonly bytes?: Buffer;
  /** The values of each header, one for each line on which it was sent; absent if they were not kept. */
  readonly fieldLines?: Readonly<Record<string, readonly string[] | undefined>>;
}

/** How strictly to treat fields and codes that the document does not list. */
export interface ConformanceOptions {
  /**
   * For targets that extend the contract: accepts unknown fields and error codes. In other APIs they are always
   * accepted.
   */
  readonly allowExtraFields: boolean;
  /** The document to check against; by default the project's own. */
  readonly document?: ApiDocument;
}

/** The header by which the mock says what it does not do. */
export const mockHeader = 'X-Mock-Accepts';

/** Whether a response is the mock's. */
export function isMocked({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return headers[mockHeader.toLowerCase()] !== undefined;
}

/** The parts of the contract that a request or a response can violate. */
export type ContractRule =
  | 'path'
  | 'method'
  | 'credential'
  | 'parameter'
  | 'media type'
  | 'status'
  | 'header'
  | 'body'
  | 'error code'
  | 'relation'
  | 'saved value'
  | 'own rule';

/** A violation of the document. The message repeats no value of a header or a field. */
export interface Violation {
  readonly rule: ContractRule;
  /** For the rule `header`: the header, as documented. */
  readonly header?: string;
  /** For the rule `own rule`: its name in own-api/response-rules.ts. */
  readonly promise?: string;
  readonly message: string;
}

/** The fields of a header section: values by lower-case name. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * A header's value in its usual spelling. Normalises optional white space in lists and parameters, and the letter case
 * of Cache-Control directives (RFC 9111, section 5.2).
 */
export function inUsualForm(name: string, value: string): string {
  const cased = /^cache-control$/i.test(name) ? value.toLowerCase() : value;
  return cased.replace(/"(?:[^"\\]|\\.)*"|[ \t]*([,;])[ \t]*/g, (found, mark?: string) =>
    mark === undefined ? found : mark === ',' ? ', ' : ';',
  );
}

/** Where the service publishes its documentation (decision D80), in addition to the documented operations. */
export const documentationPaths = ['/docs/', '/openapi.json', '/openapi.yaml'];

/** Whether a path is that of a public file that the document does not describe. */
export function isPublishedFile(path: string): boolean {
  const [plain = ''] = path.split('?');
  return documentationPaths.includes(plain) || /^\/(docs|thumbnails)\//.test(plain);
}
