import type { HttpResponse } from '../run/model.ts';

/**
 * Fails with the expected and the actual value. @param response shown in reports; by default the last one of the check
 */
export function expectThat(holds: boolean, promised: string, came: string, response?: object): void {
  if (!holds) throw new Error(`expected ${promised}, got ${came}`, { cause: response });
}

/** Fails unless the response has this status and, if given, this error code. */
export function expectResponse(response: HttpResponse, who: string, status: number, code?: string): void {
  const came = code === undefined ? undefined : errorCodeOf(response);
  const holds = response.status === status && (code === undefined || came === code);
  expectThat(holds, `${[status, code].filter(Boolean).join(' ')} for ${who}`, describe(response), response);
}

/** Fails unless the response refuses the request with any 4xx status. */
export function expectRefused(response: HttpResponse, who: string): void {
  expectThat(response.status >= 400 && response.status < 500, `a refusal of ${who}`, describe(response), response);
}

/** The response's JSON object; fails if the body is anything else. */
export function objectOf(response: Pick<HttpResponse, 'status' | 'text'>, who: string): Record<string, unknown> {
  const value = jsonOf(response);
  expectThat(isObject(value), `a JSON object for ${who}`, describe(response), response);
  return value as Record<string, unknown>;
}

/** A value as text, shortened for messages. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(response: Pick<HttpResponse, 'status' | 'text'>): string {
  return [response.status, errorCodeOf(response)].filter(Boolean).join(' ');
}

function errorCodeOf(response: Pick<HttpResponse, 'text'>): string | undefined {
  const value = jsonOf(response);
  return isObject(value) && typeof value['error_code'] === 'string' ? value['error_code'] : undefined;
}

function jsonOf({ text }: Pick<HttpResponse, 'text'>): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
