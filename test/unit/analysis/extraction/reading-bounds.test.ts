import { expect, test } from '@jest/globals';
import { boundsOfReading, readingsAtATime } from '../../../../src/analysis/extraction/reading-bounds.ts';

test('a small file gets less time than a large one, and none more than a minute', () => {
  expect(boundsOfReading(752)).toEqual({ milliseconds: 30_000, processorSeconds: 5, mebibytes: 512 });
  expect(boundsOfReading(100_000)).toEqual({ milliseconds: 60_000, processorSeconds: 10, mebibytes: 512 });
  expect(boundsOfReading(64 * 2 ** 20)).toEqual({ milliseconds: 60_000, processorSeconds: 60, mebibytes: 512 });
});

test('at least one file is read at a time, and at most four', () => {
  expect(readingsAtATime()).toBeGreaterThanOrEqual(1);
  expect(readingsAtATime()).toBeLessThanOrEqual(4);
});
