import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { keepLease } from '../../../src/analysis/keep-lease.ts';

const lease = { fileId: '0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11', token: 'a random value' };
const store = { renewLease: () => Promise.resolve(true) };
const now = () => new Date();

/** All that a signal holds to tell others of its end. */
function followersOf(signal: AbortSignal): number {
  const held = Object.getOwnPropertySymbols(signal).map((key) => (signal as never)[key] as unknown);
  const sizes = held.map((value) => (value as { size?: unknown } | null | undefined)?.size);
  return sizes.reduce<number>((sum, size) => sum + (typeof size === 'number' ? size : 0), 0);
}

test('the signal of a worker keeps nothing of the files that are done', async () => {
  const { signal } = new AbortController();
  let during = 0;
  for (let file = 0; file < 10; file += 1)
    await keepLease(lease, { store, now, signal }, async () => {
      during = followersOf(signal);
      await nextTurn();
    });
  expect([during, followersOf(signal)]).toEqual([1, 0]);
});

test('the work is told the reason for which its worker gives up, before it begins too', async () => {
  const worker = new AbortController();
  const work = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const tell = () => {
        reject(signal.reason as Error);
      };
      if (signal.aborted) tell();
      else signal.addEventListener('abort', tell);
    });
  const during = keepLease(lease, { store, now, signal: worker.signal }, work);
  worker.abort(new Error('the worker is stopped'));
  await expect(during).rejects.toThrow('the worker is stopped');
  await expect(keepLease(lease, { store, now, signal: worker.signal }, work)).rejects.toThrow('the worker is stopped');
});
