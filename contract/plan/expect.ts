/** Expectations of statuses. The response goes along with an error, so that the report shows it. */
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

type Successes = Pick<Baseline, 'success' | 'conflict' | 'gone' | 'operation' | 'isOwn'>;

/** Whether a status is a success of a request that the document allows. */
export function isSuccessOf({ success, conflict, gone, operation, isOwn }: Successes, status: number): boolean {
  if (status === success || status === conflict || gone.includes(status)) return true;
  const { responses } = operation;
  const described = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses['default'];
  return !isOwn && status >= 200 && status < 400 && described !== undefined;
}

/**
 * For requests that the document allows.
 * @throws {Error} if the response is not a success
 */
export function expectSuccess(baseline: Successes, response: Status): void {
  if (!isSuccessOf(baseline, response.status)) expectStatus(response, baseline.success);
}
