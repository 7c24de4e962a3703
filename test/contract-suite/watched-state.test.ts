import { describe, expect, test } from '@jest/globals';
import { watchedLimits } from '../../contract/run/limits.ts';

describe('the watched limit', () => {
  /** Sends requests at these times, in milliseconds, which state this; each has its response before the next is sent. */
  function messagesOf(...sent: readonly [at: number, left: number, seconds: number, status?: number][]): string[] {
    const sending = watchedLimits();
    return sent.flatMap(([at, left, seconds, status = 200]) => {
      const violations = sending('a key', () => at)(stating(left, seconds, status));
      return violations.map(({ message }) => message);
    });
  }
  const stating = (left: number, seconds: number, status = 200) => ({
    status,
    headers: { ratelimit: `"credential";r=${left};t=${seconds}` },
    text: '',
  });

  test.each<[string, ...[at: number, left: number, seconds: number, status?: number][]]>([
    ['falls by one', [0, 9, 10], [1000, 8, 9], [8000, 7, 2]],
    ['falls by more, as somebody else uses it', [0, 9, 10], [1000, 3, 9]],
    ['is renewed', [0, 9, 10], [10_500, 9, 10]],
    ['may be renewed', [0, 9, 10], [9500, 9, 10]],
    ['is used up', [0, 0, 10], [1000, 0, 9, 429]],
    ['is lost with a server that fails', [0, 5, 10], [1000, 5, 9, 500], [2000, 9, 10]],
  ])('conforms if it %s', (_name, ...sent) => {
    expect(messagesOf(...sent)).toEqual([]);
  });

  const laterEnd = 'expected RateLimit with the end of the window that earlier responses state, got t=10';
  test.each<[string, string, ...[at: number, left: number, seconds: number, status?: number][]]>([
    ['does not fall', 'expected RateLimit with less than r=9, got 200 with r=9', [0, 9, 10], [1000, 9, 9]],
    ['rises', 'expected RateLimit with less than r=7, got 404 with r=8', [0, 7, 10], [1000, 8, 9, 404]],
    ['is used up for nobody', 'expected 429, got 200 with r=0', [0, 0, 10], [1000, 0, 9]],
    ['ends later and later', laterEnd, [0, 9, 10], [5000, 8, 10]],
  ])('is violated if it %s', (_name, message, ...sent) => {
    expect(messagesOf(...sent)).toEqual([message]);
  });

  test('says nothing of requests that are in flight together, or count against no known limit', () => {
    const sending = watchedLimits();
    const [first, second] = [sending('a key', () => 0), sending('a key', () => 0)];
    expect([...second(stating(8, 10)), ...first(stating(9, 10))]).toEqual([]);
    expect(sending(undefined)(stating(8, 10))).toEqual([]);
  });
});
