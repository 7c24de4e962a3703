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

const longest = 100;
/** How much of what two texts have in common stands before their first difference. */
const commonPart = 30;

/** A value as text, shortened for messages. */
export function shown(value: unknown): string {
  return shortened(textOf(value), 0);
}

/** Two values as texts, shortened around their first difference. */
export function shownApart(one: unknown, other: unknown): [one: string, other: string] {
  const texts = [textOf(one), textOf(other)] as const;
  const length = Math.max(...texts.map((text) => text.length));
  const same = Array.from({ length }).findIndex((_none, at) => texts[0][at] !== texts[1][at]);
  const start = length <= longest ? 0 : Math.max(0, same - commonPart);
  return [shortened(texts[0], start), shortened(texts[1], start)];
}

/** The members of objects are sorted, so that their order makes no difference. */
function textOf(value: unknown): string {
  const sorted = (_key: string, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
  return value === undefined ? 'nothing' : JSON.stringify(value, sorted);
}

function shortened(text: string, start: number): string {
  return `${start > 0 ? '…' : ''}${text.slice(start, start + longest)}${text.length > start + longest ? '…' : ''}`;
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
