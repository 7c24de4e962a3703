import { describe, expect, jest, test } from '@jest/globals';
import type { HttpResponse } from '../../contract/run/model.ts';
import { longestWaitSeconds, Pacing } from '../../contract/run/limits.ts';

const limited = (ratelimit: string): HttpResponse => ({ status: 200, headers: { ratelimit }, text: '' });

function pacing(): { pacing: Pacing; waits: number[] } {
  const waits: number[] = [];
  return { pacing: new Pacing((seconds) => waits.push(seconds)), waits };
}

describe('pacing', () => {
  test('waits for the next window once nothing is left, and not before', async () => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse('key', limited('"credential";r=1;t=1'));
    await paced.beforeRequest('key');
    expect(waits).toEqual([]);
    paced.afterResponse('key', limited('"credential";r=0;t=1'));
    const startedAt = performance.now();
    await paced.beforeRequest('key');
    expect(waits).toEqual([1]);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    await paced.beforeRequest('key');
    expect(waits).toEqual([1]);
  });

  test('knows each limit for itself', async () => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse('key', limited('"x";r=0;t=60'));
    await paced.beforeRequest('address');
    expect(waits).toEqual([]);
    expect([paced.leftOf('key'), paced.leftOf('address')]).toEqual([0, Infinity]);
  });

  test('takes what is in flight for spent', () => {
    const { pacing: paced } = pacing();
    paced.afterResponse('key', limited('"x";r=9;t=60'));
    paced.onSending('key');
    expect(paced.leftOf('key')).toBe(8);
    paced.afterResponse('key', undefined);
    expect(paced.leftOf('key')).toBe(9);
  });

  test.each(['', 'garbage', '"x";r=-1;t=5', 'r=0;t=60'])('does not wait for a header such as "%s"', async (header) => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse('key', limited(header));
    await paced.beforeRequest('key');
    expect(waits).toEqual([]);
  });

  test('refuses to wait longer than its bound, or than a timer can', async () => {
    const { pacing: paced, waits } = pacing();
    for (const seconds of [longestWaitSeconds + 1, 2 ** 40]) {
      paced.afterResponse('key', limited(`"x";r=0;t=${seconds}`));
      await expect(paced.beforeRequest('key')).rejects.toThrow(/^the target asks to wait \d+ s; .* 120 s at most$/);
    }
    expect(waits).toEqual([]);
  });

  test('spaces requests evenly where a rate is given, and counts those that are sent in the same bytes', async () => {
    const none = () => undefined;
    const [paced, free] = [new Pacing(none, none, 20), new Pacing(none)];
    const startedAt = performance.now();
    await Promise.all([paced.spaceOut(1), paced.spaceOut(3), paced.spaceOut(1)]);
    // A timer counts whole milliseconds from the loop's last tick: it may fire up to two milliseconds early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(198);
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(paced.spaceOut(1, stopped)).rejects.toThrow('stopped');
    await free.spaceOut(10_000, stopped);
  });

  test('ends its waiting when the run is stopped, with the reason', async () => {
    const { pacing: paced } = pacing();
    const stop = new AbortController();
    const timer = jest.fn();
    const waiting = paced.wait('key', 60, stop.signal).finally(timer);
    stop.abort(new Error('the run was interrupted'));
    await expect(waiting).rejects.toThrow('the run was interrupted');
  });

  test('notices that somebody else spends a limit, and takes neither a new window nor its own requests for that', () => {
    const shared: string[] = [];
    const paced = new Pacing(
      () => undefined,
      (limit) => shared.push(limit),
    );
    const exchange = (left: number, seconds: number) => {
      paced.onSending('key');
      paced.afterResponse('key', limited(`"credential";r=${left};t=${seconds}`));
    };
    for (let left = 99; left > 80; left -= 1) exchange(left, 60);
    exchange(99, 90);
    exchange(98, 90);
    expect(shared).toEqual([]);
    exchange(90, 90);
    expect(shared).toEqual([]);
    exchange(80, 90);
    expect(shared).toEqual(['key']);
  });
});
