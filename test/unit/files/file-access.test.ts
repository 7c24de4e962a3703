import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { FileAccess, FilesUnavailableError } from '../../../src/files/file-access.ts';

/** Calls that hang until they are told to end. */
class HangingCalls {
  begun = 0;
  readonly given: { up: boolean }[] = [];
  readonly #ends: (() => void)[] = [];

  readonly make = (given?: { up: boolean }): Promise<void> => {
    this.begun += 1;
    if (given) this.given.push(given);
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

test('calls that hang keep their places, everybody else gets an error in time, and it goes on when they have ended', async () => {
  const [access, calls] = [new FileAccess(2, boundMilliseconds), new HangingCalls()];
  const all = Promise.allSettled(Array.from({ length: 50 }, () => access.run(calls.make)));
  // A timer of this process: what holds it up comes before neither.
  const outcomes = await Promise.race([all, sleep(10 * boundMilliseconds, undefined)]);
  expect(outcomes).toHaveLength(50);
  for (const outcome of outcomes ?? [])
    expect(outcome).toMatchObject({ reason: expect.any(FilesUnavailableError) as unknown });
  expect(calls.begun).toBe(2);
  expect(calls.given).toEqual([{ up: true }, { up: true }]);

  const refused = access.run(calls.make).catch(String);
  expect(await Promise.race([refused, endOfTurn('it waits')])).toContain('did not respond within 100 ms');

  await calls.endOne();
  expect(await access.run(() => Promise.resolve('done'))).toBe('done');
  await calls.endOne();
  expect(calls.begun).toBe(2);
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
