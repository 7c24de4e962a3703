/**
 * Checks a request against the document: path, method, the credential's form, the media type of the body and the body
 * itself. Whether a credential is valid, only the server knows.
 */
import { parse as parseContentType } from 'content-type';
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, MediaType, Operation, SecurityScheme } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import type { HeaderFields } from './header-fields.ts';
import { contentOfType, isJson } from './media-type.ts';
import { parameterViolations } from './parameters.ts';
import { schemaViolations } from './schema-violations.ts';
import type { Violation } from './violation.ts';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: HeaderFields;
  readonly bodyBytes: number;
  /** Undefined if it has not been kept; then its size alone is checked. */
  readonly body: Buffer | undefined;
}

/** Every way in which a request breaks the document; empty if it conforms. */
export function requestViolations(request: ReceivedRequest, document: ApiDocument = ownDocument): Violation[] {
  const { method, path, headers } = request;
  const operation = matchOperation(document, method, path);
  if (operation)
    return [
      ...credentialViolations(document, operation, headers),
      ...parameterViolations(operation, path, headers).map(({ message }): Violation => ({
        rule: 'parameter',
        message,
      })),
      ...bodyViolations(operation, request),
    ];
  const methods = operationsOfPath(document, path).map((each) => each.method.toUpperCase());
  if (methods.length === 0) return [{ rule: 'path', message: 'no operation has this path' }];
  return [{ rule: 'method', message: `the path has no such method; it has ${methods.join(', ')}` }];
}

/** The headers of the document's security schemes, by their names in lower case. */
export function credentialHeaders({ securitySchemes }: ApiDocument): string[] {
  return Object.values(securitySchemes).map((scheme) => headerOf(scheme).toLowerCase());
}

/** The header that a credential of the scheme is sent in. */
export function headerOf(scheme: SecurityScheme): string {
  return scheme.type === 'http' ? 'Authorization' : scheme.name;
}

/** What is wrong with the form of a request's credentials; of several alternatives, with those of the first. */
export function credentialViolations(
  { securitySchemes }: ApiDocument,
  { security }: Operation,
  headers: HeaderFields,
): Violation[] {
  const alternatives = security.map((names) =>
    names.flatMap((name) => {
      const scheme = securitySchemes[name];
      return (scheme && credentialFault(scheme, headers)) ?? [];
    }),
  );
  if (alternatives.some((messages) => messages.length === 0)) return [];
  return alternatives.slice(0, 1).flatMap((messages) => messages.map((message) => ({ rule: 'credential', message })));
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

/** What is wrong with a request's body. */
export function bodyViolations(operation: Operation, { headers, bodyBytes, body }: ReceivedRequest): Violation[] {
  const { requestBody } = operation;
  if (!requestBody) return bodyBytes > 0 ? [broken('the operation takes no body')] : [];
  if (bodyBytes === 0) return requestBody.required ? [broken('the body is missing')] : [];
  const declared = declaredContent(headers, requestBody.content);
  if (typeof declared === 'string') return [{ rule: 'media type', message: declared }];
  const { maxBytes } = requestBody;
  if (bodyBytes > maxBytes) return [broken(`the body is larger than ${maxBytes} bytes`)];
  if (body === undefined || !declared.json) return [];
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return [broken('the body is not JSON')];
  }
  return schemaViolations('the body', declared.media.schema, value, false).map(broken);
}

interface Declared {
  readonly media: MediaType;
  readonly json: boolean;
}

/** What the document says of a body with these headers, or in words why it says nothing. */
function declaredContent(headers: HeaderFields, content: Readonly<Record<string, MediaType>>): Declared | string {
  if ((headers['content-encoding'] ?? ['identity']).join().toLowerCase() !== 'identity')
    return 'the body has a content coding';
  const [value, ...others] = headers['content-type'] ?? [];
  if (value === undefined) return 'the body has no media type';
  if (others.length > 0) return 'the header Content-Type is sent more than once';
  try {
    const { type, parameters } = parseContentType(value);
    const json = isJson(type);
    if (json && (parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8')
      return 'the charset of the body is not UTF-8';
    const media = contentOfType(content, type);
    return media ? { media, json } : `the media type ${type} is not documented`;
  } catch {
    return 'the media type of the body is malformed';
  }
}

function broken(message: string): Violation {
  return { rule: 'body', message };
}
