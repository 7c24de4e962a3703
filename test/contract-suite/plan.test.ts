import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownDocument } from '../../contract/document/own-document.ts';
import { ignoredDimensions } from '../../contract/dimensions/ignored.ts';
import { expectedOf } from '../../contract/oracle/expected.ts';
import { worldOf } from '../../contract/oracle/world.ts';
import { explore as exploreRows } from '../../contract/plan/explore.ts';
import { rowsOf } from '../../contract/plan/rows.ts';
import { walkChecks } from '../../contract/plan/walks.ts';
import { type FoundFault, FoundFaults, NoResponseError } from '../../contract/run/errors.ts';
import { runChecks } from '../../contract/run/run-checks.ts';
import type { CheckContext, CredentialName, HttpResponse, RequestSpec } from '../../contract/run/model.ts';
import { checkOf, optionsFor, eachRun } from '../support/contract.ts';
import { interfaceCredentials as c } from '../support/interface-server.ts';
import { respondWith } from '../support/misbehaving-servers.ts';

const run = eachRun();
const credentials = { ...c, base_url: '', case_base_url: '' };
const newWorld = () => worldOf(ownDocument, credentials);
const judged = { judgement: 'document', company: [], follow: undefined } as const;

describe('the rows of the plan', () => {
  const rows = rowsOf(ownDocument, 1);
  const namesOf = (seed: number) =>
    rowsOf(ownDocument, seed).map(({ situation, choices }) =>
      [situation.name, ...choices.map(({ name }) => name)].join(),
    );

  test('are the same for the same seed, and in another order for another', () => {
    expect(namesOf(1)).toEqual(namesOf(1));
    expect(namesOf(2)).not.toEqual(namesOf(1));
  });

  test('have each situation asked in the plain way first', () => {
    const seen = new Set<string>();
    const first = rows.filter(({ situation: { name } }) => !seen.has(name) && seen.add(name));
    expect(first.filter(({ choices }) => choices.length > 0)).toEqual([]);
  });

  test('have every choice meet every situation that is asked in all ways', () => {
    const namesIn = (dimensions: typeof ignoredDimensions) =>
      dimensions.flatMap(({ choices }) => choices.map(({ name }) => name)).filter((name) => name !== 'nothing else');
    const all = namesIn(ignoredDimensions);
    // In a state, company and repetition would be requests of other limits.
    const alone = namesIn(ignoredDimensions.filter(({ isCostly }) => isCostly !== true));
    const met = new Map<(typeof rows)[number]['situation'], Set<string>>();
    for (const { situation, choices } of rows)
      if (situation.ways === 'all')
        for (const { name } of choices) met.set(situation, (met.get(situation) ?? new Set()).add(name));
    expect(met.size).toBeGreaterThan(10);
    for (const [{ name, state }, names] of met)
      expect([name, (state ? alone : all).filter((each) => !names.has(each))]).toEqual([name, []]);
  });

  test('have nearly all choices of two dimensions meet', () => {
    const dimensions = ignoredDimensions.map(({ choices, isCostly }) =>
      isCostly ? [] : choices.flatMap(({ name }) => (name === 'nothing else' ? [] : [name])),
    );
    const met = new Map(dimensions.flat().map((name) => [name, new Set<string>()]));
    for (const { choices } of rows)
      for (const one of choices) for (const other of choices) met.get(one.name)?.add(other.name);
    const pairs = dimensions.flatMap((names, index) =>
      dimensions.slice(index + 1).flatMap((others) => names.flatMap((name) => others.map((other) => [name, other]))),
    );
    const meeting = pairs.filter(([one = '', other = '']) => met.get(one)?.has(other));
    expect(meeting.length / pairs.length).toBeGreaterThan(0.99);
  });
});

type Respond = (request: RequestSpec, count: number) => HttpResponse | Promise<HttpResponse>;

/** A check whose target is a function. */
function contextOf(respond: Respond): CheckContext & { readonly sent: RequestSpec[]; readonly told: string[] } {
  const [sent, told]: [RequestSpec[], string[]] = [[], []];
  return {
    ...{ sent, told, credentials, allCredentials: credentials, operator: undefined, seed: 1 },
    call: async (request) => respond(request, sent.push(request)),
    credential: (name: CredentialName) => credentials[name],
    tell: (measured) => told.push(measured),
  };
}

const setting = '/organisations/features/verification';
const json = { 'content-type': 'application/json' };
const ok: HttpResponse = { status: 200, headers: json, text: '{"enabled":false}' };
const refused: HttpResponse = { ...ok, status: 403, text: '{"error_code":"request.forbidden","error_message":"No."}' };
const has = (request: RequestSpec, header: string) =>
  (request.headers ?? []).some(([name]) => name.toLowerCase() === header);

describe('exploring', () => {
  const rows = rowsOf(ownDocument, 1).filter((row) => row.situation.name === 'getVerificationSetting by viewer_key');

  /** The faults that the rows of a reader without permission find. */
  async function explore(respond: Respond): Promise<{ faults: readonly FoundFault[]; sent: RequestSpec[] }> {
    const context = contextOf((request, count) => {
      const isAsked = request.path.startsWith(setting) && !has(request, 'x-not-asked');
      return isAsked ? respond(request, count) : ok;
    });
    try {
      await exploreRows(rows, context, newWorld(), judged);
      return { faults: [], sent: context.sent };
    } catch (error) {
      if (error instanceof FoundFaults) return { faults: error.faults, sent: context.sent };
      throw error;
    }
  }

  test.each<[only: RegExp, breaks: (request: RequestSpec) => boolean]>([
    [/^Accept-Language: .+$/, (request) => has(request, 'accept-language')],
    [/^the query \?format=xml$/, ({ path }) => path.includes('format=xml')],
    [/^header names in capitals$/, ({ headers = [] }) => headers.some(([name]) => name === 'X-API-KEY')],
    [/^HTTP\/1\.0( with keep-alive)?$/, ({ wire }) => wire?.version === '1.0'],
  ])('names the one choice that breaks a server: %s', async (only, breaks) => {
    const { faults } = await explore((request) => (breaks(request) ? ok : refused));
    expect(faults.length).toBeGreaterThan(0);
    for (const { message, shown, right } of faults) {
      const [, found, way = ''] = /^(.*), only with (.*)$/.exec(message) ?? [];
      expect(found).toBe('getVerificationSetting by viewer_key: expected 403 (permission), got 200');
      expect(way).toMatch(only);
      expect(breaks(shown.request)).toBe(true);
      expect(right).toMatchObject({ request: { method: 'GET', path: setting }, response: { status: 403 } });
      expect(right && breaks(right.request)).toBe(false);
    }
  });

  test('leaves no request unheard when the run is stopped while others are in flight', async () => {
    const unheard: unknown[] = [];
    const listen = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', listen);
    const together = rows.filter(({ choices }) => choices.some(({ company = 0 }) => company > 0));
    const context = contextOf((_request, count) => {
      if (count > 1) throw new Error('stopped');
      return refused;
    });
    const company = ownDocument.operations.filter(({ method }) => method === 'get');
    await expect(exploreRows(together, context, newWorld(), { ...judged, company })).rejects.toThrow('stopped');
    await new Promise(setImmediate);
    process.off('unhandledRejection', listen);
    expect(unheard).toEqual([]);
  });

  test('names two choices that break a server only together', async () => {
    const { faults } = await explore((request) =>
      has(request, 'accept-language') && request.path.includes('?') ? ok : refused,
    );
    expect(faults[0]?.message).toMatch(/, only with Accept-Language: .* and the query \?.*$/);
  });

  test('names no choice of a server that always breaks, and sends the situation no more', async () => {
    const { faults, sent } = await explore(() => ok);
    expect(faults.map(({ message }) => message)).toEqual([
      'getVerificationSetting by viewer_key: expected 403 (permission), got 200',
    ]);
    expect(faults[0]).not.toHaveProperty('right');
    expect(sent).toHaveLength(1);
  });

  test('names no choice of a server that breaks each 20th time', async () => {
    const { faults } = await explore((_request, count) => (count % 20 === 0 ? ok : refused));
    expect(faults[0]?.message).toMatch(/got 200, but not each time$/);
  });

  test('finds what changes a response that is allowed, unless it varies by itself', async () => {
    const told = (text: string): HttpResponse => ({ ...refused, text: refused.text.replace('No.', text) });
    const { faults } = await explore((request) => (has(request, 'accept-language') ? told('Nein.') : refused));
    expect(faults[0]?.message).toMatch(/: expected the same body as without it, only with Accept-Language: /);
    expect((await explore((_request, count) => told(String(count)))).faults).toEqual([]);
  });

  test('shrinks requests without a response as others, until too many have none', async () => {
    const broken: Respond = (request) => {
      if (has(request, 'accept-language')) throw new NoResponseError('the connection broke off');
      return refused;
    };
    const { faults } = await explore(broken);
    expect(faults[0]?.message).toMatch(/viewer_key: the connection broke off, only with Accept-Language: /);
    expect(faults[0]?.shown.response).toBeUndefined();
    const unsent: Respond = (_request, count) => {
      if (count > 1) throw new NoResponseError('3 requests', { sent: count < 4 });
      return refused;
    };
    expect((await explore(unsent)).sent.length).toBeLessThan(6);
  });

  const follow = ownDocument.operations.find(({ operationId }) => operationId === 'getVerificationSetting');
  const written = rowsOf(ownDocument, 1).filter(
    (row) => row.situation.name === 'updateVerificationSetting by viewer_key',
  );

  test('sends refused updates while the setting has another value', async () => {
    let enabled = false;
    const sent: [value: string, whileOn: boolean][] = [];
    const isByOwner = ([name, value]: readonly [string, string]) => /^x-api-key$/i.test(name) && value === c.owner_key;
    const context = contextOf(({ method, headers = [], body }) => {
      const isUpdate = method === 'PUT' && headers.some(isByOwner);
      if (method === 'PUT' && !isUpdate) sent.push([String(body), enabled]);
      if (isUpdate) enabled = body === '{"enabled":true}';
      return method === 'PUT' && !isUpdate ? refused : { ...ok, text: JSON.stringify({ enabled }) };
    });
    const byViewer = rowsOf(ownDocument, 1).filter(({ situation: { name }, choices }) => {
      return choices.length === 0 && /^updateVerificationSetting by viewer_key/.test(name);
    });
    await exploreRows(byViewer, context, newWorld(), { ...judged, follow, changesNothing: true }).catch(
      () => undefined,
    );
    const whileIt = (isOn: boolean) => sent.flatMap(([value, isSo]) => (isSo === isOn ? [value] : []));
    expect(whileIt(false)).toContain('{"enabled":true}');
    expect(whileIt(true)).toContain('{"enabled":false}');
    expect(whileIt(true)).not.toContain('{"enabled":true}');
  });

  test('needs no owner to find that a viewer may write', async () => {
    const withoutOwner = { ...credentials, owner_key: undefined as never };
    const context = { ...contextOf(() => ({ ...ok, text: '{"enabled":true}' })), credentials: withoutOwner };
    const world = worldOf(ownDocument, withoutOwner);
    await expect(exploreRows(written, context, world, { ...judged, follow })).rejects.toThrow(
      'viewer_key: expected 403 (permission), got 200',
    );
  });

  test.each([
    ['a slow target several', { changesNothing: true }, 60, 8],
    ['a quick one', { changesNothing: true }, 0, 1],
    ['a slow one that may be changed', {}, 60, 1],
  ])('sends %s at once: %j', async (_name, options, milliseconds, expected) => {
    let [inFlight, most] = [0, 0];
    const context = contextOf(() => refused);
    const call = async (request: RequestSpec) => {
      most = Math.max(most, (inFlight += 1));
      if (milliseconds > 0) await sleep(milliseconds);
      inFlight -= 1;
      return context.call(request);
    };
    const once = rows.filter(({ choices }) => choices.every(({ times = 1 }) => times === 1)).slice(0, 20);
    await exploreRows(once, { ...context, call }, newWorld(), { ...judged, ...options });
    expect(most).toBe(expected);
  });

  test('tells what it has not sent, and why', async () => {
    const context = contextOf(() => refused);
    const without = { ...context, credentials: { ...credentials, viewer_key: undefined as never } };
    await expect(exploreRows(rows, without, newWorld(), judged)).rejects.toThrow('missing: viewer_key');
    expect(context.told).toEqual([`0 of ${rows.length} requests of the plan sent; missing: viewer_key`]);
  });
});

test('a fault is reported with the request that fails and the one that gets the right response', async () => {
  const url = await run.serve(respondWith(200, json, '{}'));
  const options = optionsFor(url, c);
  const check = checkOf('a', {
    run: async (context) => {
      const exchange = async (path: string) => {
        const request = { method: 'GET', path, headers: [['x-api-key', c.owner_key] as const] };
        return { request, response: await context.call(request) };
      };
      const [right, shown] = [await exchange('/right'), await exchange('/wrong')];
      throw new FoundFaults([{ message: 'found', shown, right }]);
    },
  });
  const [result] = await runChecks([check], options);
  const line = (path: string) =>
    `curl --include --path-as-is --request GET --header "x-api-key: $OWNER_KEY" "${url}${path}"`;
  expect(result?.failures).toMatchObject([{ message: 'found', curl: line('/wrong'), rightCurl: line('/right') }]);
});

test('what changes something before a wrong response is reported with it', async () => {
  const url = await run.serve(respondWith(200, json, '{}'));
  const check = checkOf('a', {
    run: async (context) => {
      await context.call({ method: 'POST', path: '/first' });
      await context.call({ method: 'PUT', path: '/second' });
      const cause = await context.call({ method: 'GET', path: '/wrong' });
      await context.call({ method: 'DELETE', path: '/third' });
      throw new Error('found', { cause });
    },
  });
  const [result] = await runChecks([check], optionsFor(url, c));
  const line = (method: string, path: string) => `curl --include --path-as-is --request ${method} "${url}${path}"`;
  expect(result?.failures).toMatchObject([
    { message: 'found', beforeCurl: line('PUT', '/second'), curl: line('GET', '/wrong') },
  ]);
});

describe('walks', () => {
  /** A server that refuses as the oracle expects, and is asked through its handlers of reads and writes of the setting. */
  function serverWith({ read, write }: { read: () => boolean; write: (enabled: boolean) => void }): Respond {
    const world = newWorld();
    return async (request) => {
      // What is asked at the same time is in flight at the same time.
      await Promise.resolve();
      const { promise, statuses, code, saves } = expectedOf(request, world);
      const [, id] = /^\/cases\/([^/?]+)/.exec(request.path) ?? [];
      if (saves !== undefined) write(saves);
      const shown = id === undefined ? { enabled: saves ?? read() } : { case_id: id };
      const body = promise === 'success' ? shown : { error_code: code, error_message: 'No.' };
      return { ...ok, status: statuses[0] ?? 500, text: JSON.stringify(body) };
    };
  }

  const walk = (respond: Respond) =>
    walkChecks(ownDocument, 3)
      .find(({ id }) => id === 'explored.walks')
      ?.run(contextOf(respond));

  test('find a read that is one update late, with the shortest walk that shows it', async () => {
    let [now, late] = [false, false];
    const server = serverWith({ read: () => late, write: (saved) => ([late, now] = [now, saved]) });
    await expect(walk(server)).rejects.toThrow(
      /^GET \S+: expected enabled (true|false), got (true|false) \(in a walk of [1-9] steps\)$/,
    );
  });

  test('find a write that is lost when another comes at the same time', async () => {
    let [enabled, writing] = [false, 0];
    const server = serverWith({
      read: () => enabled,
      write: (saved) => {
        writing += 1;
        // The second of two writes is lost, and the value before both remains.
        const before = enabled;
        enabled = saved;
        queueMicrotask(() => {
          if (writing > 1) enabled = before;
          writing = 0;
        });
      },
    });
    await expect(walk(server)).rejects.toThrow(/expected (one of the values saved at the same time|enabled \w+), got /);
  });

  test('leave other APIs alone', () => {
    expect(walkChecks({ ...ownDocument, title: 'Notes' }, 1)).toEqual([]);
  });
});
