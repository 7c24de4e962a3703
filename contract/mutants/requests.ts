import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import type { ProxiedResponse, ProxiedRequest } from './mutant.ts';

const credentialHeaders = ['x-api-key', 'authorization'];

/** The values of a header, as often as it was sent. */
export function headerValues({ headers }: ProxiedRequest, name: string): string[] {
  return headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
}

/** The request with a header in the place of all of its name, or without it. */
export function withHeader(request: ProxiedRequest, name: string, value?: string): ProxiedRequest {
  const others = request.headers.filter(([sent]) => sent.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** The secret that a request presents in either way. */
export function secretOf(request: ProxiedRequest): string | undefined {
  const [value] = credentialHeaders.flatMap((name) => headerValues(request, name));
  return value?.replace(/^Bearer +/i, '');
}

/** The request as its operation's security scheme has it, with this secret. */
export function withSecret(request: ProxiedRequest, secret: string): ProxiedRequest {
  const headers = request.headers.filter(([name]) => !credentialHeaders.includes(name.toLowerCase()));
  const byToken = matchOperation(ownDocument, request.method, request.path)?.operationId === 'getCase';
  const header = byToken ? (['Authorization', `Bearer ${secret}`] as const) : (['x-api-key', secret] as const);
  return { ...request, headers: [...headers, header] };
}

/** The request with another body and the length of that. */
export function withBody(request: ProxiedRequest, body: string): ProxiedRequest {
  const changed = withHeader(
    withHeader(request, 'Transfer-Encoding'),
    'Content-Length',
    String(Buffer.byteLength(body)),
  );
  return { ...changed, body: Buffer.from(body) };
}

/** What the body holds as JSON, if it is that. */
export function jsonOf({ body }: ProxiedRequest): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** The operationId that a request calls with its own method: HEAD calls none. */
export function isOperation(operationId: string, { method, path }: ProxiedRequest): boolean {
  return method !== 'HEAD' && matchOperation(ownDocument, method, path)?.operationId === operationId;
}

/** Whether a request updates the setting, whatever the response is. */
export function isUpdate(request: ProxiedRequest): boolean {
  return isOperation('updateVerificationSetting', request);
}

/** A response with only a status and a body. */
export function jsonResponse(like: ProxiedResponse, status: number, body: unknown): ProxiedResponse {
  return { ...like, status, headers: { ...like.headers }, body: JSON.stringify(body) };
}

/** An error of the documented form. */
export function errorResponse(like: ProxiedResponse, status: number, code: string): ProxiedResponse {
  const details = { field: '', errors: [{ field: '', message: 'is not valid', rule: 'type' }] };
  return jsonResponse(like, status, {
    error_code: code,
    error_message: 'The request was refused.',
    ...(code === 'request.validation.failed' && { error_details: details }),
  });
}
