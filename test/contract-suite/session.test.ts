import { describe, expect, test } from '@jest/globals';
import type http from 'node:http';
import { ownApiOf } from '../../contract/own-api/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { createConformanceRecord } from '../../contract/run/conformance.ts';
import { Pacing } from '../../contract/run/limits.ts';
import { mayBeLeft, runChecks } from '../../contract/run/run-checks.ts';
import { restoringSetting } from '../../contract/own-api/restore-setting.ts';
import { createRunStop } from '../../contract/run/run.ts';
import { NoResponseError } from '../../contract/run/errors.ts';
import type { Check, CheckResult } from '../../contract/run/model.ts';
import { Session, type SessionOptions } from '../../contract/run/session.ts';
import { checkOf, optionsFor as targetOptions, eachRun } from '../support/contract.ts';
import { respondWith, json } from '../support/misbehaving-servers.ts';

const run = eachRun();
const [path, headers] = ['/organisations/features/verification', [['x-api-key', 'dak_uk_1']] as const];
const get = { method: 'GET', path, headers };

const optionsFor = (url: string) => targetOptions(url, { owner_key: 'dak_uk_1' });
const check = (id: string, run: Check['run'], needs: Check['needs'] = []) => checkOf(id, { run, needs });
const silent = { onStart: () => undefined, onResult: () => undefined };

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

describe('running checks', () => {
  const runAll = (checks: Check[], options: SessionOptions) => runChecks(checks, options, silent);
  const outcomes = (results: CheckResult[]) => results.map(({ check: { id }, outcome }) => `${id} ${outcome}`);

  test('a check without what it needs is not run, and says what is missing', async () => {
    const [result] = await runAll([check('a', () => Promise.resolve(), ['member_key', 'operator'])], optionsFor(''));
    expect(result).toMatchObject({ outcome: 'not run', reason: 'missing: member_key, operator' });
  });

  test('a check that needs the operator is told from one that lacks what its tester can give', async () => {
    const checks = [['member_key'], ['operator'], ['exhausting-limits', 'operator']] as const;
    const results = await runAll(
      checks.map((needs, index) => check(String(index), () => Promise.resolve(), needs)),
      optionsFor('http://a.example'),
    );
    expect(results.map(mayBeLeft)).toEqual([false, true, true]);
  });

  test('a response that breaks the document fails the check of that promise, and not the one that sent the request', async () => {
    const url = await run.serve(respondWith(200, { ...json, 'X-A': 'b' }, '{"enabled":"dak_uk_1"}'));
    const quiet = check('quiet', (context) => context.call(get).then(() => undefined), ['owner_key']);
    const options = optionsFor(url);
    const record = createConformanceRecord(ownDocument, ownApiOf(ownDocument), options.target.credentials);
    const [result] = await runAll([quiet, quiet], { ...options, record });
    expect(result?.outcome).toBe('passed');
    const body = record.results().find(({ check: { id } }) => id === 'conformance.getVerificationSetting.200.body');
    expect(body).toMatchObject({ outcome: 'failed', exchanges: 2 });
    expect(body?.failures).toContainEqual({
      message: 'the body/enabled must be boolean',
      count: 2,
      curl: `curl --include --path-as-is --request GET --header "x-api-key: $OWNER_KEY" "${url}${get.path}"`,
      request: `GET ${get.path}\nhost: ${new URL(url).host}\nx-api-key: $OWNER_KEY`,
      response: expect.stringMatching(/^200 OK\n[^]*x-a: b\n[^]*\n\n\{"enabled":"\$OWNER_KEY"\}$/),
    });
  });

  test('a stopped run: what is in flight is not run, nor is the rest, however long they would take', async () => {
    const stop = createRunStop({});
    const results = await runAll(
      [
        check('before', () => Promise.resolve()),
        check('sleeping', async () => {
          stop.stop('enough');
          await new Promise(() => undefined);
        }),
        check('after', () => Promise.resolve()),
      ],
      { ...optionsFor('http://a.example'), signal: stop.signal },
    );
    expect(outcomes(results)).toEqual(['before passed', 'sleeping not run', 'after not run']);
    expect(results[1]?.reason).toBe('enough');
  });

  test('a stopped run: a promise that is already broken stays broken', async () => {
    const stop = createRunStop({});
    const url = await run.serve(respondWith(200, json, '{}'));
    const broken = check('broken', async (context) => {
      await context.call(get);
      stop.stop('enough');
      await context.call(get);
    });
    const options = { ...optionsFor(url), signal: stop.signal };
    const record = createConformanceRecord(ownDocument, ownApiOf(ownDocument), options.target.credentials);
    expect(outcomes(await runAll([broken], { ...options, record }))).toEqual(['broken not run']);
    expect(outcomes(record.results())).toContain('conformance.getVerificationSetting.200.body failed');
  });
});

const failed = (message: string): CheckResult => ({
  check: { id: 'a', layer: 'replay', source: 'document', title: 'a', rules: [] },
  outcome: 'failed',
  failures: [{ message }],
  exchanges: 0,
  durationSeconds: 0,
});

test('a stop of a run comes from a signal, also one that is aborted already, with its reason', () => {
  const controller = new AbortController();
  const stop = createRunStop({ signal: controller.signal });
  expect([stop.reason, stop.signal.aborted]).toEqual([undefined, false]);
  controller.abort(new Error('interrupted'));
  expect([stop.reason, createRunStop({ signal: controller.signal }).reason]).toEqual(['interrupted', 'interrupted']);
  stop.stop('later');
  expect(stop.reason).toBe('interrupted');
});

test('a stop of a run makes of a failure that says but its reason a check that was not run', () => {
  const stop = createRunStop({});
  expect(stop.settled(failed('enough')).outcome).toBe('failed');
  stop.stop('enough');
  const expected = { outcome: 'not run', reason: 'enough', failures: [] };
  expect(stop.settled(failed('Dredd failed: enough'))).toMatchObject(expected);
  expect(stop.settled(failed('a promise')).outcome).toBe('failed');
});

describe('the setting', () => {
  async function restoring(handler: http.RequestListener) {
    const [notices, problems, order]: [string[], string[], string[]] = [[], [], []];
    await restoringSetting(
      optionsFor(await run.serve(handler)),
      { onNotice: (notice) => order.push('notice') && notices.push(notice) },
      problems,
      () => Promise.resolve(void order.push('work')),
    );
    return { notices, problems, order };
  }

  test('that cannot be read is told before anything is done', async () => {
    const { notices, problems, order } = await restoring(respondWith(401, json, '{}'));
    expect(notices).toEqual([
      'the verification setting cannot be put back afterwards: it cannot be read with owner_key (it responded 401)',
    ]);
    expect([problems, order]).toEqual([[], ['notice', 'work']]);
  });

  test('that has not changed is not written', async () => {
    const methods: string[] = [];
    const handler = respondWith(200, json, '{"enabled":true}');
    const { notices, problems } = await restoring((request, response) => {
      methods.push(request.method ?? '');
      handler(request, response);
    });
    expect([notices, problems, methods]).toEqual([[], [], ['GET', 'GET']]);
  });

  test('that cannot be put back is a problem of the run', async () => {
    let reads = 0;
    const { problems } = await restoring((request, response) => {
      const status = request.method === 'PUT' ? 403 : 200;
      respondWith(status, json, `{"enabled":${(reads += 1) === 1}}`)(request, response);
    });
    expect(problems).toEqual(['the verification setting could not be put back to true: it responded 403']);
  });
});
