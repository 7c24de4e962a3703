/**
 * Holds a request against the document: path, method, the credential's form, the media type of the body and the body
 * itself. Whether a credential is valid, only the server knows.
 */
import { parse as parseContentType } from 'content-type';
import {
  bodyLimitOf,
  contractDocument,
  type DocumentedOperation,
  findOperation,
  type MediaTypeObject,
  operationsOfPath,
  type SecurityScheme,
} from '../document/document.ts';
import { schemaViolations } from './schema-violations.ts';
import type { Violation } from './violation.ts';

/** The fields of a header section: their values by their names in lower case. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: HeaderFields;
  readonly bodyBytes: number;
  /** Undefined if it has not been kept; it is then held against its size alone. */
  readonly body: Buffer | undefined;
}

/** Every way in which a request breaks the document; empty if it conforms. */
export function requestViolations(request: ReceivedRequest): Violation[] {
  const operation = findOperation(request.method, request.path);
  if (operation) return [...credentialViolations(operation, request.headers), ...bodyViolations(operation, request)];
  const methods = operationsOfPath(request.path).map(({ method }) => method.toUpperCase());
  if (methods.length === 0) return [{ rule: 'path', message: 'no operation has this path' }];
  return [{ rule: 'method', message: `the path has no such method; it has ${methods.join(', ')}` }];
}

/** The headers of the document's security schemes, by their names in lower case. */
export const credentialHeaders: readonly string[] = Object.values(contractDocument.components.securitySchemes).map(
  (scheme) => headerOf(scheme).toLowerCase(),
);

function headerOf(scheme: SecurityScheme): string {
  return scheme.type === 'http' ? 'Authorization' : scheme.name;
}

/** Each of an operation's security requirements is an alternative; the faults of the first are told. */
function credentialViolations({ security }: DocumentedOperation, headers: HeaderFields): Violation[] {
  const schemes = Object.entries(contractDocument.components.securitySchemes);
  const alternatives = security.map((requirement) =>
    schemes.filter(([name]) => name in requirement).flatMap(([, scheme]) => credentialFault(scheme, headers) ?? []),
  );
  if (alternatives.some((faults) => faults.length === 0)) return [];
  return alternatives.slice(0, 1).flatMap((faults) => faults.map((message) => ({ rule: 'credential', message })));
}

function credentialFault(scheme: SecurityScheme, headers: HeaderFields): string | undefined {
  const header = headerOf(scheme);
  const [value, ...others] = headers[header.toLowerCase()] ?? [];
  if (value === undefined) return `the header ${header} is missing`;
  if (others.length > 0) return `the header ${header} is sent more than once`;
  if (scheme.type === 'apiKey') return value === '' ? `the header ${header} is empty` : undefined;
  const wellFormed = new RegExp(`^${scheme.scheme} +\\S+$`, 'i').test(value);
  return wellFormed ? undefined : `the header ${header} has not the form of the scheme ${scheme.scheme}`;
}

function bodyViolations(operation: DocumentedOperation, { headers, bodyBytes, body }: ReceivedRequest): Violation[] {
  const { requestBody } = operation;
  if (!requestBody) return bodyBytes > 0 ? [broken('the operation takes no body')] : [];
  if (bodyBytes === 0) return requestBody.required === true ? [broken('the body is missing')] : [];
  const declared = declaredContent(headers, requestBody.content);
  if (typeof declared === 'string') return [{ rule: 'media type', message: declared }];
  const limit = bodyLimitOf(operation);
  if (limit !== undefined && bodyBytes > limit) return [broken(`the body is larger than ${limit} bytes`)];
  if (body === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return [broken('the body is not JSON')];
  }
  return schemaViolations('the body', declared.schema, value, false).map(broken);
}

/** What the document says of a body with these headers, or in words why it says nothing. */
function declaredContent(headers: HeaderFields, content: Record<string, MediaTypeObject>): MediaTypeObject | string {
  if ((headers['content-encoding'] ?? ['identity']).join().toLowerCase() !== 'identity')
    return 'the body has a content coding';
  const [value, ...others] = headers['content-type'] ?? [];
  if (value === undefined) return 'the body has no media type';
  if (others.length > 0) return 'the header Content-Type is sent more than once';
  try {
    const { type, parameters } = parseContentType(value);
    if ((parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8') return 'the charset of the body is not UTF-8';
    return content[type] ?? `the media type ${type} is not documented`;
  } catch {
    return 'the media type of the body is malformed';
  }
}

function broken(message: string): Violation {
  return { rule: 'body', message };
}
