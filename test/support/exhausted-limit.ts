import { expect, jest, test } from '@jest/globals';
import type { Harness, HarnessOptions } from './harness.ts';

/** A small limit for `testExhaustedLimit`. */
export const smallLimits: HarnessOptions = { rateLimits: { requests: 2, failedAuthentications: 3 } };

/** Tests that hold for the 429 of every operation, on a server with `smallLimits`. */
export function testExhaustedLimit(
  call: (secret: string) => ReturnType<Harness['call']>,
  issue: () => Promise<string>,
) {
  const statuses = async (secret: string, times: number) => {
    const seen: number[] = [];
    for (let index = 0; index < times; index += 1) seen.push((await call(secret)).status);
    return seen;
  };

  test('refuses a credential that has used up its quota, and says when to come back', async () => {
    const secret = await issue();
    // The seconds of the window are counted down meanwhile, on a loaded machine past the first.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const [first, second, third] = await statuses(secret, 3);
    expect([first, second]).not.toContain(429);
    expect(third).toBe(429);
    const { headers, body } = await call(secret);
    clock.mockRestore();
    expect(body).toMatchObject({ error_code: 'request.rate-limit.exceeded' });
    expect(headers).toMatchObject({ 'ratelimit-policy': '"credential";q=2;w=60', ratelimit: '"credential";r=0;t=60' });
    expect(Number(headers['retry-after'])).toBe(60);
  });

  test('leaves other credentials alone', async () => {
    await statuses(await issue(), 3);
    expect((await call(await issue())).status).not.toBe(429);
  });

  test('refuses an address that has failed to authenticate too often, but never a valid credential there', async () => {
    expect(await statuses('wrong', 4)).toEqual([401, 401, 401, 429]);
    expect((await call('wrong')).headers).toMatchObject({ 'ratelimit-policy': '"failed-authentication";q=3;w=60' });
    expect((await call(await issue())).status).not.toBe(429);
  });
}
