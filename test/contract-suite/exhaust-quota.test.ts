import { describe, expect, test } from '@jest/globals';
import { exhaustQuota } from '../../contract/replay/exhaust-quota.ts';
import type { HttpResponse } from '../../contract/run/model.ts';

describe('exhausting a quota', () => {
  const response = (status: number, ratelimit?: string): HttpResponse => ({ status, headers: { ratelimit }, text: '' });

  test('ends when nothing is left', async () => {
    let left = 25;
    let sent = 0;
    await exhaustQuota(() => {
      sent += 1;
      left -= 1;
      return Promise.resolve(response(left < 0 ? 429 : 200, `"credential";r=${Math.max(0, left)};t=9`));
    });
    expect(sent).toBe(30);
  });

  test('is bounded against a server without a limit', async () => {
    let sent = 0;
    const send = () => {
      sent += 1;
      return Promise.resolve(response(200));
    };
    await expect(exhaustQuota(send)).rejects.toThrow('2000 requests have not used up the limit');
    expect(sent).toBe(2000);
  });

  test('starts again if the window may end at once', async () => {
    let sent = 0;
    await exhaustQuota(() => {
      sent += 1;
      return Promise.resolve(response(429, '"credential";r=0;t=1'));
    });
    expect(sent).toBe(20);
  });
});
