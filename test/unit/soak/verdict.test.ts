import { expect, test } from '@jest/globals';
import type { Phase } from '../../soak/recorder.ts';
import { growthPerMinute, judge } from '../../soak/verdict.ts';

/** A phase of three minutes whose memory grows as fast as is told. */
function phase(name: string, { growth = 0, ...overrides }: Partial<Phase> & { growth?: number } = {}): Phase {
  const memory = Array.from({ length: 181 }, (_, second) => {
    const noise = second % 2 === 0 ? 4 : -4;
    return { minutes: second / 60, rssMiB: 130 + noise + (growth * second) / 60, heapMiB: 30 };
  });
  const figures = { requests: 36_000, p50: 1, p99: 10, max: 50, faults: {} };
  return { name, seconds: 180, ...figures, memory, mostConnections: 20, ...overrides };
}

const good = [phase('warm-up'), phase('before'), phase('hostile', { p99: 200 }), phase('after')];
const replaced = (changed: Phase) => good.map((one) => (one.name === changed.name ? changed : one));
const heldIn = (...of: Parameters<typeof judge>) => judge(...of).map(({ held }) => held);

test('growth is found behind the noise of garbage collection', () => {
  expect(growthPerMinute(phase('after', { growth: 5 }).memory)).toBeCloseTo(5, 1);
});

test('a run without a fault holds every promise', () => {
  expect(heldIn(good, [], 0)).toEqual([true, true, true, true, true]);
});

test.each([
  ['one wrong response', replaced(phase('hostile', { faults: { ECONNRESET: 1 } })), [], 0, 0],
  ['a run without a request', good.map((one) => ({ ...one, requests: 0 })), [], 0, 0],
  ['an error in the log', good, ['{"level":50}'], 0, 1],
  ['a server that does not end well', good, [], 'SIGKILL', 1],
  ['slow responses beside hostile clients', replaced(phase('hostile', { p99: 1000 })), [], 0, 2],
  ['slower responses after them', replaced(phase('after', { p99: 46 })), [], 0, 3],
  ['memory that grows', replaced(phase('after', { growth: 4 })), [], 0, 4],
])('not met is: %s', (_name, phases, complaints, ended, broken) => {
  expect(heldIn(phases, complaints, ended)).toEqual(good.concat(phase('')).map((_, index) => index !== broken));
});

test('a run that is too short, or ended early, is not judged by what needs time', () => {
  const short = good.slice(0, 3).map((one) => ({ ...one, seconds: 20 }));
  expect(heldIn(short, [], 0)).toEqual([true, true, undefined, undefined, undefined]);
});
