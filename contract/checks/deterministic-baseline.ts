import type { Answer } from '../run/model.ts';
import { expectStatus } from './expect.ts';

/**
 * Holds requests that differ in what must not matter against the plain one.
 * @throws {Error} if the answers differ, unless the plain one is not twice the same either
 */
export async function expectUnchanged(
  status: number,
  callPlain: () => Promise<Answer>,
  changedCalls: readonly (() => Promise<Answer>)[],
): Promise<void> {
  const plain = await callPlain();
  expectStatus(plain, status);
  for (const callChanged of changedCalls) {
    const changed = await callChanged();
    expectStatus(changed, status);
    if (changed.text !== plain.text && (await callPlain()).text === plain.text)
      throw new Error('expected the same body as without the change');
  }
}
