import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { boundAccess, FilesUnavailableError } from '../../../src/files/file-access.ts';

/** test/resilience/hanging-files.test.ts has calls that may be given up. */
test('a call that must be made waits for a place however long, and its failure is nobody’s', async () => {
  const access = boundAccess(1, 100);
  const { promise: hanging, resolve: end } = Promise.withResolvers<undefined>();
  await expect(access.run(() => hanging)).rejects.toThrow(FilesUnavailableError);
  let closed = 0;
  for (const close of [() => Promise.reject(new Error('failed')), () => Promise.resolve()])
    access.runEventually(() => {
      closed += 1;
      return close();
    });
  await sleep(200);
  expect(closed).toBe(0);
  end(undefined);
  await sleep(1);
  expect(closed).toBe(2);
});
