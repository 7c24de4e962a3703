import { describe, expect, test } from '@jest/globals';
import type http from 'node:http';
import { ownDocument } from '../../contract/document/own-document.ts';
import { replayCases } from '../../contract/plan/provoked.ts';
import { spareFailedAuthentications } from '../../contract/run/senders.ts';
import { Pacing } from '../../contract/run/limits.ts';
import type { Check } from '../../contract/run/model.ts';
import { Session } from '../../contract/run/session.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { idsOf, optionsFor, reportOn } from '../support/contract.ts';
import { json, respondWith, serveHttp } from '../support/misbehaving-servers.ts';

const path = '/organisations/features/verification';
const withKey = (key: string) => ({ method: 'GET', path, headers: [['x-api-key', key]] as const });
const check = { needs: [], failsToAuthenticate: 'variants' } as const satisfies Partial<Check>;
const allowed = { mayWait: false, mayUseUp: true };

/** Allows an address some failed authentications; `accepted` is taken for a valid key. */
function limited(quota: number, { seconds = 60, accepted = '' } = {}) {
  let sent = 0;
  const handler: http.RequestListener = (request, response) => {
    const isAccepted = request.headers['x-api-key'] === accepted;
    if (!isAccepted) sent += 1;
    const status = isAccepted ? 200 : sent > quota ? 429 : 401;
    const retry = status === 429 ? { 'Retry-After': String(seconds) } : {};
    const left = `"failed-authentication";r=${Math.max(0, quota - sent)};t=${seconds}`;
    respondWith(status, { ...json, ...retry, RateLimit: left }, '{}')(request, response);
  };
  return { handler, sent: () => sent };
}

async function withSession(
  handler: http.RequestListener,
  spared: Parameters<typeof spareFailedAuthentications>[0],
  work: (session: () => Session, waits: number[]) => Promise<void>,
): Promise<void> {
  const url = await serveHttp(handler);
  const waits: number[] = [];
  const stop = new AbortController();
  const given = optionsFor(url);
  const options = {
    ...{ ...given, target: { ...given.target, mayExhaustLimits: true }, addresses: [undefined] },
    signal: stop.signal,
    pacing: new Pacing((seconds) => {
      waits.push(seconds);
      stop.abort(new Error('it waits'));
    }),
    failedAuthentications: spareFailedAuthentications(spared),
  };
  await work(() => new Session(options, check), waits);
}

describe('failed authentications from one address', () => {
  test('are not sent twice, in whatever case and order header names are', async () => {
    const { handler, sent } = limited(9);
    await withSession(handler, allowed, async (session) => {
      const [upper, lower] = [['A', 'b'] as const, ['a', 'b'] as const];
      const first = await session().call({ method: 'GET', path, headers: [['x-api-key', 'x'], upper] });
      const later = session();
      expect(await later.call({ method: 'GET', path, headers: [lower, ['X-API-Key', 'x']] })).toEqual(first);
      expect([sent(), later.exchanges.length]).toEqual([1, 1]);
      await session().call(withKey('y'));
      expect(sent()).toBe(2);
    });
  });

  test('are sent once none is left, and are no verdict if they are refused for that', async () => {
    const { handler, sent } = limited(1, { accepted: 'wrongly' });
    await withSession(handler, allowed, async (session, waits) => {
      expect((await session().call(withKey('a'))).status).toBe(401);
      await expect(session().call(withKey('b'))).rejects.toThrow(/^refused with 429, as this address has no failed/);
      expect((await session().call(withKey('wrongly'))).status).toBe(200);
      expect([sent(), waits]).toEqual([2, []]);
    });
  });

  test('are not sent once none is left, if no limit may be used up', async () => {
    const { handler, sent } = limited(1);
    await withSession(handler, { mayWait: false, mayUseUp: false }, async (session) => {
      await session().call(withKey('a'));
      await expect(session().call(withKey('b'))).rejects.toThrow(/^this address has no failed .* --provoke-429 sends/);
      expect(sent()).toBe(1);
    });
  });

  test.each([
    ['every check must run', { mayWait: true, mayUseUp: true }, 11],
    ['the window ends soon', allowed, 10],
  ])('are waited for if %s', async (_name, spared, seconds) => {
    const { handler } = limited(1, { seconds });
    await withSession(handler, spared, async (session, waits) => {
      await session().call(withKey('a'));
      await expect(session().call(withKey('b'))).rejects.toThrow('it waits');
      expect(waits).toEqual([seconds]);
    });
  });

  test('are judged if they are refused while some are left', async () => {
    let sent = 0;
    const handler: http.RequestListener = (request, response) => {
      const limit = { RateLimit: `"failed-authentication";r=${9 - (sent += 1)};t=60` };
      respondWith(sent === 1 ? 401 : 429, { ...json, ...limit }, '{}')(request, response);
    };
    await withSession(handler, allowed, async (session) => {
      await session().call(withKey('a'));
      expect((await session().call(withKey('b'))).status).toBe(429);
    });
  });
});

test('a run from one address waits for nothing with the default number of failed authentications, and leaves variants alone unchecked', async () => {
  const own = await startOwnTarget({
    // As many as there are at most in so long a window, so that the checks that use it up still do.
    RATE_LIMIT_REQUESTS: '2000',
    RATE_LIMIT_FAILED_AUTHENTICATIONS: '30',
    // Longer than a run on a loaded machine: shortly before its end, the suite would wait for a new one.
    RATE_LIMIT_WINDOW_SECONDS: '600',
  });
  try {
    const url = own.credentials.base_url.replace('127.0.0.1', '0.0.0.0');
    const target = { ...own, credentials: { ...own.credentials, base_url: url, case_base_url: url } };
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const report = await reportOn(target, { selection: { only: [], skip: ['*.429'] } }, onNotice);
    expect([notices, report.problems, report.conforms]).toEqual([[], [], true]);
    const provoked = replayCases(ownDocument).filter(({ status }) => status !== '429');
    const unmet = provoked.filter(({ label }) => !idsOf(report, 'passed').includes(`replay.${label}`));
    expect(unmet.map(({ label }) => label)).toEqual([]);
    expect(report.rules.filter(({ outcome }) => outcome === 'not run')).toEqual([]);
    const spared = report.results.filter(({ reason = '', measured = '' }) =>
      /(^|sent; )refused with 429, as this address/.test(reason + measured),
    );
    expect(spared).not.toEqual([]);
    expect(spared.filter(({ check: { id } }) => !/^explored\.\w+\.credential/.test(id))).toEqual([]);
  } finally {
    await own.close();
  }
});
