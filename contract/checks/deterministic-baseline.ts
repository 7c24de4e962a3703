import type { HttpResponse } from '../run/model.ts';
import type { Baseline } from './baseline.ts';
import { expectStatus } from './expect.ts';

/**
 * Holds requests that differ in what must not matter against the plain one.
 * @throws {Error} if the responses differ, unless the plain one is not twice the same either
 */
export async function expectSameResponse(
  { success, conflict }: Pick<Baseline, 'success' | 'conflict'>,
  callPlain: () => Promise<HttpResponse>,
  changedCalls: readonly (() => Promise<HttpResponse>)[],
): Promise<void> {
  const plain = await callPlain();
  expectStatus(plain, success, conflict);
  for (const callChanged of changedCalls) {
    const changed = await callChanged();
    expectStatus(changed, success, conflict);
    if (changed.status === plain.status && changed.text !== plain.text && (await callPlain()).text === plain.text)
      throw new Error('expected the same body as without the change');
  }
}
