import type { HttpResponse } from '../run/model.ts';

/**
 * @param conflict the status that stands for success once an earlier request has changed the resource
 * @throws {Error} if the response has another status
 */
export function expectStatus({ status }: Pick<HttpResponse, 'status'>, expected: number, conflict?: number): void {
  if (expected < 300 && status === conflict) return;
  if (status !== expected) throw new Error(`expected the status ${expected}, but ${status} came`);
}

/**
 * For requests that the document leaves open: success or a refusal.
 * @throws {Error} if it is neither
 */
export function expectNoFailure({ status }: HttpResponse): void {
  const isEither = (status >= 200 && status < 300) || (status >= 400 && status < 500);
  if (!isEither) throw new Error(`expected success or a refusal, but ${status} came`);
}

/**
 * @param fields as `a/b/0`; the empty text is the body as a whole
 * @throws {Error} if `error_details.errors` does not name each of them
 */
export function expectFieldsNamed({ text }: HttpResponse, fields: readonly string[]): void {
  if (fields.length === 0) return;
  const named = fieldsNamedIn(text);
  const missing = fields.filter((field) => !named.includes(field));
  if (missing.length > 0)
    throw new Error(`expected error_details.errors to name ${list(missing)}, but it names ${list(named)}`);
}

/** Nested fields have no notation in the document: `a.b[0]` and `/a/b/0` are taken for `a/b/0`. */
function fieldsNamedIn(text: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const { errors } = (body as { error_details?: { errors?: unknown } } | null)?.error_details ?? {};
  if (!Array.isArray(errors)) return [];
  return errors
    .map((error: { field?: unknown } | null) => error?.field)
    .filter((field) => typeof field === 'string')
    .flatMap((field) => [field, field.replace(/^[./]/, '').replace(/[.[]/g, '/').replaceAll(']', '')]);
}

function list(fields: readonly string[]): string {
  return [...new Set(fields)].map((field) => (field === '' ? 'the body as a whole' : field)).join(', ') || 'nothing';
}
