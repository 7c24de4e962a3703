import type { HttpResponse } from '../run/model.ts';
import { expectSuccess } from './expect.ts';

/**
 * Compares the responses to requests that differ in what must not matter with that to the plain one.
 * @throws {Error} if the responses differ, unless the plain one is not twice the same either
 */
export async function expectSameResponse(
  baseline: Parameters<typeof expectSuccess>[0],
  callPlain: () => Promise<HttpResponse>,
  changedCalls: readonly (() => Promise<HttpResponse>)[],
): Promise<void> {
  const plain = await callPlain();
  expectSuccess(baseline, plain);
  for (const callChanged of changedCalls) {
    const changed = await callChanged();
    expectSuccess(baseline, changed);
    if (changed.status === plain.status && changed.text !== plain.text && (await callPlain()).text === plain.text)
      throw new Error('expected the same body as without the change');
  }
}
