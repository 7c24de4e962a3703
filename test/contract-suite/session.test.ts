import { describe, expect, test } from '@jest/globals';
import { Pacing } from '../../contract/run/limits.ts';
import { runChecks } from '../../contract/run/run-checks.ts';
import { restoringSetting } from '../../contract/own-api/restore-setting.ts';
import { NoResponseError } from '../../contract/run/errors.ts';
import type { Check } from '../../contract/run/model.ts';
import { Session } from '../../contract/run/session.ts';
import { checkOf, optionsFor as targetOptions, eachRun } from '../support/contract.ts';
import { respondWith, json } from '../support/misbehaving-servers.ts';

const run = eachRun();
const [path, headers] = ['/organisations/features/verification', [['x-api-key', 'dak_uk_1']] as const];
const get = { method: 'GET', path, headers };

const optionsFor = (url: string) => targetOptions(url, { owner_key: 'dak_uk_1' });
const check = (id: string, run: Check['run']) => checkOf(id, { run });

describe('a session', () => {
  test('waits out a 429 by its Retry-After, twice at most', async () => {
    const url = await run.serve(respondWith(429, { ...json, 'Retry-After': '1' }, '{}'));
    const session = new Session(optionsFor(url), { needs: [] });
    expect((await session.call(get)).status).toBe(429);
    expect(session.exchanges).toHaveLength(3);
  });

  // Other systems have only one loopback address.
  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux.each([false, true])(
    'waits out a limit that all of its addresses share (reads only: %s)',
    async (readsOnly) => {
      const limited = respondWith(429, { ...json, 'Retry-After': '1', RateLimit: '"x";r=0;t=1' }, '{}');
      const refused = respondWith(401, json, '{}');
      const from: (string | undefined)[] = [];
      let renewedAt = Infinity;
      const url = await run.serve((request, response) => {
        from.push(request.socket.remoteAddress);
        // The limit is renewed a second after both addresses have met it, however long that takes.
        if (from.length === 2) renewedAt = performance.now() + 900;
        (performance.now() < renewedAt ? limited : refused)(request, response);
      });
      const addresses = [undefined, '127.0.0.2', '127.0.0.3', '127.0.0.4'];
      const session = new Session({ ...optionsFor(url), addresses }, { needs: [], readsOnly });
      expect((await session.call({ ...get, headers: [] })).status).toBe(401);
      expect(from).toEqual(['127.0.0.1', '127.0.0.2', expect.any(String)]);
    },
  );

  test('sends nothing more after three requests without a response', async () => {
    let connections = 0;
    const url = await run.serveBytes((socket) => {
      connections += 1;
      socket.destroy();
    });
    const session = new Session(optionsFor(url), { needs: [] });
    for (let call = 0; call < 5; call += 1) await expect(session.call(get)).rejects.toThrow(NoResponseError);
    expect(connections).toBe(3);
    expect(session.withoutResponse).toBe(true);
  });

  test('keeps its credential for a whole check, unless the check only reads', async () => {
    const limited = respondWith(200, { ...json, RateLimit: '"x";r=5;t=60' }, '{}');
    const url = await run.serve(limited);
    const options = optionsFor(url);
    const credentials = { ...options.target.credentials, spares: { owner_key: ['dak_uk_2'] } };
    const keys = async (readsOnly: boolean) => {
      const target = { ...options.target, credentials };
      const own = { ...options, target, pacing: new Pacing(() => undefined) };
      const session = new Session(own, { needs: ['owner_key'], readsOnly });
      const before = session.credential('owner_key');
      await session.call(get);
      return [before, session.credential('owner_key')];
    };
    expect(await keys(false)).toEqual(['dak_uk_1', 'dak_uk_1']);
    expect(await keys(true)).toEqual(['dak_uk_1', 'dak_uk_2']);
  });

  test('sends safe requests alone for a check that says that it reads only', async () => {
    const session = new Session(optionsFor('http://a.example'), { needs: [], readsOnly: true });
    await expect(session.call({ method: 'PUT', path: '/' })).rejects.toThrow('sends PUT, and says that it reads only');
  });

  test('refuses a credential that the check has not said that it needs', () => {
    const session = new Session(optionsFor('http://a.example'), { needs: ['member_key'] });
    expect(() => session.credential('owner_key')).toThrow('uses owner_key without having said');
    expect(() => session.credential('member_key')).toThrow('uses member_key');
  });
});

test('a stopped run: what is in flight is not run, nor is the rest, however long they would take', async () => {
  const stop = new AbortController();
  const results = await runChecks(
    [
      check('before', () => Promise.resolve()),
      check('sleeping', async () => {
        stop.abort(new Error('enough'));
        await new Promise(() => undefined);
      }),
      check('after', () => Promise.resolve()),
    ],
    { ...optionsFor('http://a.example'), signal: stop.signal },
  );
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['passed', undefined],
    ['not run', 'enough'],
    ['not run', 'enough'],
  ]);
});

test('a setting that has not changed is not written back', async () => {
  const [methods, notices, problems]: [string[], string[], string[]] = [[], [], []];
  const handler = respondWith(200, json, '{"enabled":true}');
  const url = await run.serve((request, response) => {
    methods.push(request.method ?? '');
    handler(request, response);
  });
  const progress = { onNotice: (notice: string) => void notices.push(notice) };
  await restoringSetting(optionsFor(url), progress, problems, () => Promise.resolve());
  expect([notices, problems, methods]).toEqual([[], [], ['GET', 'GET']]);
});
