import { describe, expect, jest, test } from '@jest/globals';
import type { HttpResponse, RequestSpec } from '../../contract/run/model.ts';
import { longestWaitSeconds, Pacing } from '../../contract/run/pacing.ts';

const withKey = (key: string): RequestSpec => ({ method: 'GET', path: '/', headers: [['x-api-key', key]] });
const withToken = (token: string): RequestSpec => ({
  method: 'GET',
  path: '/',
  headers: [['Authorization', `Bearer ${token}`]],
});
const limited = (ratelimit: string): HttpResponse => ({ status: 200, headers: { ratelimit }, text: '' });

function pacing(): { pacing: Pacing; waits: number[] } {
  const waits: number[] = [];
  return { pacing: new Pacing(['key', 'token'], (seconds) => waits.push(seconds)), waits };
}

describe('pacing', () => {
  test('waits for the next window once nothing is left, and not before', async () => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse(withKey('key'), limited('"credential";r=1;t=1'));
    await paced.beforeRequest(withKey('key'));
    expect(waits).toEqual([]);
    paced.afterResponse(withKey('key'), limited('"credential";r=0;t=1'));
    const startedAt = performance.now();
    await paced.beforeRequest(withKey('key'));
    expect(waits).toEqual([1]);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    await paced.beforeRequest(withKey('key'));
    expect(waits).toEqual([1]);
  });

  test.each<[string, RequestSpec, RequestSpec]>([
    ['each known credential', withKey('key'), withToken('token')],
    ['a known credential and the address', withKey('unknown'), withKey('key')],
    [
      'a doubled credential and that credential',
      {
        ...withKey('key'),
        headers: [
          ['x-api-key', 'key'],
          ['x-api-key', 'key'],
        ],
      },
      withKey('key'),
    ],
  ])('counts apart: %s', async (_name, used, other) => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse(used, limited('"x";r=0;t=60'));
    await paced.beforeRequest(other);
    expect(waits).toEqual([]);
  });

  test('counts unknown credentials and none together, against the address', async () => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse(withKey('unknown'), limited('"x";r=0;t=1'));
    await paced.beforeRequest({ method: 'GET', path: '/' });
    expect(waits).toEqual([1]);
  });

  test.each(['', 'garbage', '"x";r=-1;t=5', 'r=0;t=60'])('does not wait for a header such as "%s"', async (header) => {
    const { pacing: paced, waits } = pacing();
    paced.afterResponse(withKey('key'), limited(header));
    await paced.beforeRequest(withKey('key'));
    expect(waits).toEqual([]);
  });

  test('refuses to wait longer than its bound, or than a timer can', async () => {
    const { pacing: paced, waits } = pacing();
    for (const seconds of [longestWaitSeconds + 1, 2 ** 40]) {
      paced.afterResponse(withKey('key'), limited(`"x";r=0;t=${seconds}`));
      await expect(paced.beforeRequest(withKey('key'))).rejects.toThrow(
        /^the target asks to wait \d+ s; .* 120 s at most$/,
      );
    }
    expect(waits).toEqual([]);
  });

  test('ends its waiting when the run is stopped, with the reason', async () => {
    const { pacing: paced } = pacing();
    const stop = new AbortController();
    const timer = jest.fn();
    const waiting = paced.wait(60, stop.signal).finally(timer);
    stop.abort(new Error('the run was interrupted'));
    await expect(waiting).rejects.toThrow('the run was interrupted');
  });
});
