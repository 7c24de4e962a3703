import type { HttpResponse } from '../run/model.ts';
import { expectSuccess } from './expect.ts';

/**
 * Sends requests with differences that must not matter, and compares their responses with the baseline response.
 * @throws {Error} if the responses differ, unless the baseline response itself varies
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
