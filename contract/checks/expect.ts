import type { HttpResponse } from '../run/model.ts';
import type { Baseline } from './baseline.ts';

type Status = Pick<HttpResponse, 'status'>;

/** @throws {Error} unless the response has one of these statuses */
export function expectStatus(response: Status, ...expected: readonly number[]): void {
  const { status } = response;
  if (expected.includes(status)) return;
  const [last, ...others] = [...expected].reverse();
  const list = others.length === 0 ? String(last) : `${others.reverse().join(', ')} or ${last}`;
  throw new Error(`expected status ${list}, got ${status}`, { cause: response });
}

/**
 * For requests that the document allows.
 * @throws {Error} if the response is not a success
 */
export function expectSuccess(
  {
    success,
    conflict,
    gone,
    operation,
    isOwn,
  }: Pick<Baseline, 'success' | 'conflict' | 'gone' | 'operation' | 'isOwn'>,
  response: Status,
): void {
  const { status } = response;
  if (status === conflict || gone.includes(status)) return;
  const range = operation.responses[`${Math.floor(status / 100)}XX`] ?? operation.responses['default'];
  const isDocumented = operation.responses[String(status)] !== undefined || range !== undefined;
  if (!isOwn && status >= 200 && status < 400 && isDocumented) return;
  expectStatus(response, success);
}

/**
 * For requests that the document neither allows nor forbids: success or a refusal.
 * @throws {Error} if it is neither
 */
export function expectNoFailure(response: Status): void {
  const { status } = response;
  const isEither = (status >= 200 && status < 300) || (status >= 400 && status < 500);
  if (!isEither) throw new Error(`expected success or a refusal, got ${status}`, { cause: response });
}

/**
 * @param fields such as `a/b/0`; the empty string is the whole body
 * @throws {Error} if `error_details.errors` does not name each of them
 */
export function expectFieldsNamed({ text }: HttpResponse, fields: readonly string[]): void {
  if (fields.length === 0) return;
  const named = fieldsNamedIn(text);
  const missing = fields.filter((field) => !named.includes(field));
  if (missing.length > 0)
    throw new Error(`expected error_details.errors to name ${list(missing)}, but it names ${list(named)}`);
}

function fieldsNamedIn(text: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const { errors } = (body as { error_details?: { errors?: unknown } } | null)?.error_details ?? {};
  if (!Array.isArray(errors)) return [];
  return errors.map((error: { field?: unknown } | null) => error?.field).filter((field) => typeof field === 'string');
}

function list(fields: readonly string[]): string {
  return [...new Set(fields)].map((field) => (field === '' ? 'the body as a whole' : field)).join(', ') || 'nothing';
}
