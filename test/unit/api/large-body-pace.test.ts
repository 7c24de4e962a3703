import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { LargeBodyPace } from '../../../src/api/send-response.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Asks for parts at once; tells which of them may be sent so far. */
function askFor(pace: LargeBodyPace, parts: number): number[] {
  const sent: number[] = [];
  for (let part = 1; part <= parts; part += 1) void pace.beforePart().then(() => sent.push(part));
  return sent;
}

test('large bodies are sent as fast as they are taken while no other is', async () => {
  const sent = askFor(new LargeBodyPace(), 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([1, 2, 3, 4, 5]);
});

test('large bodies together send a part a millisecond while others are sent, in the order in which they came', async () => {
  const pace = new LargeBodyPace();
  pace.otherSent();
  const sent = askFor(pace, 3);
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await jest.advanceTimersByTimeAsync(Number(expected.length > 1));
    expect(sent).toEqual(expected);
  }
  await jest.advanceTimersByTimeAsync(200);
  const later = askFor(pace, 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(later).toEqual([1, 2, 3, 4, 5]);
});
