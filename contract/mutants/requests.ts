/** What mutants ask of requests, and how they rewrite them. */
import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import { parsed } from '../oracle/json.ts';
import type { ProxiedRequest } from './mutant.ts';

const names: Record<string, string> = {
  getVerificationSetting: 'read',
  updateVerificationSetting: 'update',
  getCase: 'case',
};

/** The operation that a request calls, with HEAD and the whole address too: `read`, `update`, `case`, or `none`. */
export function operationOf({ method, path }: ProxiedRequest): string {
  return names[matchOperation(ownDocument, method, path.replace(/^https?:\/\/[^/]+/, ''))?.operationId ?? ''] ?? 'none';
}

export const isUpdate = (request: ProxiedRequest): boolean => operationOf(request) === 'update';
export const isReading = (request: ProxiedRequest): boolean => operationOf(request) === 'read';
export const isCase = (request: ProxiedRequest): boolean => operationOf(request) === 'case';

/** The values of a header, one for each time that it was sent. */
export function headerValues({ headers }: ProxiedRequest, name: string): string[] {
  return headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
}

/** Whether a header is sent, with a value like this. @param name in lower case */
export function header(name: string, pattern = /^/) {
  return (request: ProxiedRequest) => headerValues(request, name).some((value) => pattern.test(value));
}

/** Whether there is a query that is like this, without its question mark. */
export function query(pattern = /^/) {
  return ({ path: target }: ProxiedRequest) => target.includes('?') && pattern.test(target.split('?')[1] ?? '');
}

/** Whether the path and query are like this. */
export const path = (pattern: RegExp) => (request: ProxiedRequest) => pattern.test(request.path);

/** Whether the text of the body is like this. */
export const body = (pattern: RegExp) => (request: ProxiedRequest) => pattern.test(request.body.toString());

/** Whether no credential is presented. */
export const anonymous = (request: ProxiedRequest) => secretOf(request) === undefined;

const credentialHeaders = ['x-api-key', 'authorization'];

/** The secret that a request presents, in either header. */
export function secretOf(request: ProxiedRequest): string | undefined {
  const [value] = credentialHeaders.flatMap((name) => headerValues(request, name));
  return value?.replace(/^Bearer +/i, '');
}

/** The request with this secret in the form of its operation's security scheme. */
export function withSecret(request: ProxiedRequest, secret: string): ProxiedRequest {
  const headers = request.headers.filter(([name]) => !credentialHeaders.includes(name.toLowerCase()));
  const [name, value] = isCase(request) ? ['Authorization', `Bearer ${secret}`] : ['x-api-key', secret];
  return { ...request, headers: [...headers, [name, value]] };
}

/** The request with another body and its length. */
export function withBody(request: ProxiedRequest, text: string): ProxiedRequest {
  const others = request.headers.filter(([name]) => !/^(transfer-encoding|content-length)$/i.test(name));
  const length = ['Content-Length', String(Buffer.byteLength(text))] as const;
  return { ...request, headers: [...others, length], body: Buffer.from(text) };
}

/** The value of a JSON body; undefined if it is none. */
export const jsonOf = (request: ProxiedRequest): unknown => parsed(request.body.toString());

/** The value that an update asks for, whatever it is. */
export function enabledOf(request: ProxiedRequest): unknown {
  return (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled;
}

/** The request as one with another JSON body. */
export function asJson(request: ProxiedRequest, body: unknown): ProxiedRequest {
  const others = request.headers.filter(([name]) => !/^content-(type|encoding)$/i.test(name));
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return withBody({ ...request, headers: [...others, ['Content-Type', 'application/json']] }, sent);
}
