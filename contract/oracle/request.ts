/**
 * Checks a request against the document: path, method, form of the credential, media type and body. Only the server
 * knows whether a credential is valid.
 */
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation, SecurityScheme } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import type { HeaderFields, Violation } from './documented-response.ts';
import { parameterViolations } from './parameters.ts';
import { type ReceivedBody, bodyViolations } from './body.ts';
import type { IncomingMessage } from 'node:http';

/** A request as it came over the wire. */
export interface ReceivedRequest extends ReceivedBody {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** The violations of the document in a request; empty if it conforms. */
export function requestViolations(request: ReceivedRequest, document: ApiDocument = ownDocument): Violation[] {
  const { method, path, headers } = request;
  const operation = matchOperation(document, method, path);
  if (operation)
    return [
      ...credentialViolations(document, operation, headers, path),
      ...parameterViolations(operation, path, headers).map(({ message }): Violation => ({
        rule: 'parameter',
        message,
      })),
      ...bodyViolations(operation, request, !isOwnApi(document)),
    ];
  const methods = operationsOfPath(document, path).map((each) => each.method.toUpperCase());
  if (methods.length === 0) return [{ rule: 'path', message: 'no operation has this path' }];
  return [{ rule: 'method', message: `the path has no such method; it has ${methods.join(', ')}` }];
}

/** The headers of the document's security schemes, in lower case. */
export function credentialHeaders({ securitySchemes }: ApiDocument): string[] {
  return Object.values(securitySchemes)
    .filter((scheme) => scheme.type === 'http' || scheme.in === 'header')
    .map((scheme) => headerOf(scheme).toLowerCase());
}

/** The header that carries a scheme's credential; for the query or a cookie, the name there. */
export function headerOf(scheme: SecurityScheme): string {
  return scheme.type === 'http' ? 'Authorization' : scheme.name;
}

/** Violations in the form of a request's credentials. If no alternative conforms, those of the first are returned. */
export function credentialViolations(
  { securitySchemes }: ApiDocument,
  { security }: Operation,
  headers: HeaderFields,
  path = '',
): Violation[] {
  const alternatives = security.map((names) =>
    names.flatMap((name) => {
      const scheme = securitySchemes[name];
      return (scheme && credentialFault(scheme, headers, path)) ?? [];
    }),
  );
  if (alternatives.some((messages) => messages.length === 0)) return [];
  return alternatives.slice(0, 1).flatMap((messages) => messages.map((message) => ({ rule: 'credential', message })));
}

function credentialFault(scheme: SecurityScheme, headers: HeaderFields, path: string): string | undefined {
  const header = headerOf(scheme);
  if (scheme.type === 'apiKey' && scheme.in !== 'header') {
    const isSent = namesSent(scheme.in, headers, path).includes(header);
    return isSent ? undefined : `the ${scheme.in === 'query' ? 'query parameter' : 'cookie'} ${header} is missing`;
  }
  const [value, ...others] = headers[header.toLowerCase()] ?? [];
  if (value === undefined) return `the header ${header} is missing`;
  if (others.length > 0) return `the header ${header} is sent more than once`;
  if (scheme.type === 'apiKey') return value === '' ? `the header ${header} is empty` : undefined;
  const wellFormed = new RegExp(`^${scheme.scheme} +\\S+$`, 'i').test(value);
  return wellFormed ? undefined : `the header ${header} has not the form of the scheme ${scheme.scheme}`;
}

/** The names that are sent with a value. */
function namesSent(place: 'query' | 'cookie', { cookie = [] }: HeaderFields, path: string): string[] {
  const pairs =
    place === 'query'
      ? [...new URLSearchParams(path.split(/\?(.*)/s)[1])]
      : cookie.flatMap((text) => text.split(';')).map((pair) => pair.trim().split(/=(.*)/s));
  return pairs.flatMap(([name = '', value = '']) => (value === '' ? [] : [name]));
}

/** Whether the operation can be called without a credential. */
export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((schemes) => schemes.length === 0);
}

/**
 * Whether a browser asks what a page of another origin may send (CORS). API descriptions do not cover such requests,
 * which are part of how browsers use HTTP.
 */
export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Whether a method is safe (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return /^(get|head|options|trace)$/i.test(method);
}
