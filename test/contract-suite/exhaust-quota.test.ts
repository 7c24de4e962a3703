import { describe, expect, test } from '@jest/globals';
import { sendPastQuota } from '../../contract/replay/exhaust-quota.ts';
import type { HttpResponse } from '../../contract/run/model.ts';

describe('sending past a quota', () => {
  const response = (status: number, ratelimit?: string): HttpResponse => ({ status, headers: { ratelimit }, text: '' });

  /** A target that gives a quota anew, once, after some requests past it. */
  const target = (quota: number, state: string, renewedAfter = Infinity) => {
    let [left, past] = [quota, 0];
    return () => {
      if (left === 0 && (past += 1) > renewedAfter) [left, past, renewedAfter] = [quota, 0, Infinity];
      left -= left > 0 ? 1 : 0;
      const isRefused = past > 0 && left === 0;
      return Promise.resolve(response(isRefused ? 429 : 200, `"credential";r=${left};${state}`));
    };
  };

  test('sends one request more than the quota has', async () => {
    let sent = 0;
    const send = target(25, 't=9');
    const { status } = await sendPastQuota(() => {
      sent += 1;
      return send();
    });
    expect([status, sent]).toEqual([429, 31]);
  });

  test('is bounded against a server without a limit', async () => {
    let sent = 0;
    const send = () => {
      sent += 1;
      return Promise.resolve(response(200));
    };
    await expect(sendPastQuota(send)).rejects.toThrow('2000 requests have not used up the limit');
    expect(sent).toBe(2000);
  });

  test('does all of it again if the window may have ended meanwhile', async () => {
    // Five of the ten requests of the last batch are refused, and the next request falls into a new window.
    const { status } = await sendPastQuota(target(25, 't=1', 5));
    expect(status).toBe(429);
  });

  test('takes a request past the quota for accepted if the window cannot have ended', async () => {
    const { status } = await sendPastQuota(target(25, 't=60', 5));
    expect(status).toBe(200);
  });
});
