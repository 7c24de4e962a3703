import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { FileAccess, FilesUnavailableError } from '../../../src/files/file-access.ts';

/** Calls that hang until they are told to end. */
class HangingCalls {
  begun = 0;
  readonly #ends: (() => void)[] = [];

  readonly make = (): Promise<void> => {
    this.begun += 1;
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  async endOne(): Promise<void> {
    this.#ends.shift()?.();
    await sleep(1);
  }
}

const boundMilliseconds = 100;

test('as many calls are made at once as there are places, and the next when one has ended', async () => {
  const [access, calls] = [new FileAccess(2, 10_000), new HangingCalls()];
  const outcomes = Promise.all([calls.make, calls.make, calls.make].map((call) => access.run(call)));
  expect(calls.begun).toBe(2);
  await calls.endOne();
  expect(calls.begun).toBe(3);
  await calls.endOne();
  await calls.endOne();
  await outcomes;
  expect(await access.run(() => Promise.resolve('done'))).toBe('done');
  await expect(access.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a call that must be made waits for a place however long, and its failure is nobody’s', async () => {
  const [access, calls] = [new FileAccess(1, boundMilliseconds), new HangingCalls()];
  await expect(access.run(calls.make)).rejects.toThrow(FilesUnavailableError);
  let closed = 0;
  for (const close of [() => Promise.reject(new Error('failed')), () => Promise.resolve()])
    access.runEventually(() => {
      closed += 1;
      return close();
    });
  await sleep(2 * boundMilliseconds);
  expect(closed).toBe(0);
  await calls.endOne();
  expect(closed).toBe(2);
});
