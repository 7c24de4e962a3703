/** Checks a request against the document. Only the server knows whether a credential is valid: its form alone is checked. */
import type { IncomingMessage } from 'node:http';
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation, Parameter, SecurityScheme } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { type BodyFault, readBody } from './body.ts';
import { broken, type HeaderFields, type ReceivedRequest, type Violation } from './messages.ts';
import { parameterViolations } from './parameters.ts';
import { fieldOf, messageOf, schemaErrors } from './schema.ts';

/** What is wrong with a parameter or the body of a request. */
export interface RequestFault {
  readonly promise: 'parameters' | BodyFault['promise'];
  /** The name of the parameter, or the field of the body in the notation of this API; absent if that cannot be read. */
  readonly field?: string;
  readonly message: string;
  /** As errors of this API name it. */
  readonly rule: string;
  readonly parameter?: Parameter;
}

/** All that is wrong with the parameters and the body of a request of an operation. */
export function requestFaults(operation: Operation, request: ReceivedRequest): RequestFault[] {
  const { requestBody } = operation;
  const ofParameters = parameterViolations(operation, request.path, request.headers).map((found): RequestFault => {
    const rule = found.message.endsWith('is missing') ? 'required' : 'type';
    return { promise: 'parameters', field: found.parameter.name, rule, ...found };
  });
  const read = requestBody && readBody(requestBody, request);
  if (!read) return ofParameters;
  if ('promise' in read) return [...ofParameters, read];
  const ofBody = schemaErrors(read.schema, read.value).map((error): RequestFault => {
    return { promise: 'body', field: fieldOf(error), rule: error.keyword, message: messageOf('the body', error) };
  });
  return [...ofParameters, ...ofBody];
}

/** The violations of the document in a request; empty if it conforms. */
export function requestViolations(request: ReceivedRequest, document: ApiDocument = ownDocument): Violation[] {
  const { method, path, headers, bodyBytes } = request;
  const operation = matchOperation(document, method, path);
  if (operation)
    return [
      ...credentialViolations(document, operation, headers, path),
      ...requestFaults(operation, request).flatMap(({ promise, message }) => broken(rules[promise], [message])),
      ...(!operation.requestBody && bodyBytes > 0 ? broken('body', ['the operation takes no body']) : []),
    ];
  const methods = operationsOfPath(document, path).map((each) => each.method.toUpperCase());
  return methods.length === 0
    ? broken('path', ['no operation has this path'])
    : broken('method', [`the path has no such method; it has ${methods.join(', ')}`]);
}

const rules = { parameters: 'parameter', 'media-type': 'media type', 'body-size': 'body', body: 'body' } as const;

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

/** What a request sends in the place of a scheme's credential, once for each time that it is sent. */
export function valuesSent(scheme: SecurityScheme, headers: HeaderFields, path: string): readonly string[] {
  const name = headerOf(scheme);
  const place = scheme.type === 'http' ? 'header' : scheme.in;
  if (place === 'header') return headers[name.toLowerCase()] ?? [];
  if (place === 'query') return new URLSearchParams(path.split(/\?(.*)/s)[1]).getAll(name);
  const pairs = (headers['cookie'] ?? []).flatMap((text) => text.split(';')).map((pair) => pair.split(/=(.*)/s));
  return pairs.flatMap(([key = '', value = '']) => (key.trim() === name ? [value.trim()] : []));
}

/** Violations in the form of a request's credentials. If no alternative conforms, those of the first are returned. */
function credentialViolations(
  { securitySchemes }: ApiDocument,
  { security }: Operation,
  headers: HeaderFields,
  path: string,
): Violation[] {
  const alternatives = security.map((names) =>
    names.flatMap((name) => {
      const scheme = securitySchemes[name];
      return (scheme && credentialFault(scheme, valuesSent(scheme, headers, path))) ?? [];
    }),
  );
  const isMet = alternatives.some((messages) => messages.length === 0);
  return isMet ? [] : broken('credential', alternatives[0] ?? []);
}

function credentialFault(scheme: SecurityScheme, sent: readonly string[]): string | undefined {
  const name = headerOf(scheme);
  if (scheme.type === 'apiKey' && scheme.in !== 'header')
    return sent.every((value) => value === '')
      ? `the ${scheme.in === 'query' ? 'query parameter' : 'cookie'} ${name} is missing`
      : undefined;
  const [value, ...others] = sent;
  if (value === undefined) return `the header ${name} is missing`;
  if (others.length > 0) return `the header ${name} is sent more than once`;
  if (scheme.type === 'apiKey') return value === '' ? `the header ${name} is empty` : undefined;
  const isWellFormed = new RegExp(`^${scheme.scheme} +\\S+$`, 'i').test(value);
  return isWellFormed ? undefined : `the header ${name} has not the form of the scheme ${scheme.scheme}`;
}

export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((schemes) => schemes.length === 0);
}

/** Whether a browser asks what a page of another origin may send (CORS), which API descriptions do not cover. */
export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Whether a method is safe (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return /^(get|head|options|trace)$/i.test(method);
}
