import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import type { ProxiedResponse, ProxiedRequest } from './mutant.ts';

const credentialHeaders = ['x-api-key', 'authorization'];

/** The values of a header, one for each time that it was sent. */
export function headerValues({ headers }: ProxiedRequest, name: string): string[] {
  return headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
}

/** Replaces all headers of this name, or removes them. */
export function withHeader(request: ProxiedRequest, name: string, value?: string): ProxiedRequest {
  const others = request.headers.filter(([sent]) => sent.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** The secret that a request presents, in either header. */
export function secretOf(request: ProxiedRequest): string | undefined {
  const [value] = credentialHeaders.flatMap((name) => headerValues(request, name));
  return value?.replace(/^Bearer +/i, '');
}

/** The request with this secret in the form of its operation's security scheme. */
export function withSecret(request: ProxiedRequest, secret: string): ProxiedRequest {
  const headers = request.headers.filter(([name]) => !credentialHeaders.includes(name.toLowerCase()));
  const byToken = matchOperation(ownDocument, request.method, request.path)?.operationId === 'getCase';
  const header = byToken ? (['Authorization', `Bearer ${secret}`] as const) : (['x-api-key', secret] as const);
  return { ...request, headers: [...headers, header] };
}

/** The request with another body and its length. */
export function withBody(request: ProxiedRequest, body: string): ProxiedRequest {
  const changed = withHeader(
    withHeader(request, 'Transfer-Encoding'),
    'Content-Length',
    String(Buffer.byteLength(body)),
  );
  return { ...changed, body: Buffer.from(body) };
}

/** The parsed body; undefined if it is not JSON. */
export function jsonOf({ body }: ProxiedRequest): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a request calls this operation with its own method, and not with HEAD. */
export function isOperation(operationId: string, { method, path }: ProxiedRequest): boolean {
  return method !== 'HEAD' && matchOperation(ownDocument, method, path)?.operationId === operationId;
}

/** Whether a request updates the setting, whatever its response. */
export function isUpdate(request: ProxiedRequest): boolean {
  return isOperation('updateVerificationSetting', request);
}

/** Whether a request reads the setting. */
export function isReading(request: ProxiedRequest): boolean {
  return isOperation('getVerificationSetting', request);
}

/** Whether a request reads a case. */
export function isCase(request: ProxiedRequest): boolean {
  return isOperation('getCase', request);
}

/** The body of a setting. */
export function settingOf(enabled: boolean): string {
  return JSON.stringify({ enabled });
}

/** The value that an update asks for, whatever it is. */
export function enabledOf(request: ProxiedRequest): unknown {
  return (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled;
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
