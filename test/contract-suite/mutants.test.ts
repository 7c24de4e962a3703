import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { ProxiedResponse, ProxiedRequest, ServerBehind } from '../../contract/mutants/mutant.ts';
import { ownApiOf } from '../../contract/own-api/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { conditionalMutant, conditionalMutants } from '../../contract/mutants/conditional.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import { forwardTo, startProxy } from '../../contract/mutants/proxy.ts';
import { isOperation, secretOf, withBody, withSecret } from '../../contract/mutants/requests.ts';
import { type MutantResult, promisesOf } from '../../contract/mutants/run-mutant.ts';
import { describeResults, scoreOf } from '../../contract/mutants/score.ts';
import { allChecks } from '../../contract/run/run.ts';
import { conformanceChecks } from '../../contract/run/conformance.ts';
import { patternOf } from '../../contract/run/selection.ts';
import { harmlessLineOf, lineOf, markdownOf, scoreLines, tableOf } from '../../contract/mutants/tables.ts';
import { bodyMutants, eachFile, headerMutants, isWhere, set, unset } from '../../contract/mutants/tampering.ts';

const mutants = Object.values(mutantsByKind).flat();
const ids = [...allChecks(ownDocument, 1), ...conformanceChecks(ownDocument, ownApiOf(ownDocument))].map(
  ({ id }) => id,
);

const request: ProxiedRequest = {
  method: 'GET',
  path: '/cases/1',
  headers: [['Authorization', 'Bearer token']],
  body: Buffer.alloc(0),
};

function behind(response: ProxiedResponse): ServerBehind {
  const forward = () => Promise.resolve(structuredClone(response));
  return { credentials: {}, database: {}, forward } as unknown as ServerBehind;
}

describe('the list of mutants', () => {
  test('has a name of its own for each', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(250);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  test.each(mutants.map(({ name, promise }) => [name, promise]))(
    'names checks that there are for %s',
    (_name, promise) => {
      expect(promise.split(' ').filter((pattern) => !ids.some((id) => patternOf(pattern).test(id)))).toEqual([]);
    },
  );

  test.each(mutants.map(({ name, breaks }) => [name, breaks]))('says what %s is', (name, breaks) => {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
    expect(breaks).toMatch(/^\S.*[^.]$/);
    expect(breaks).not.toContain('|');
  });
});

describe('a mutant', () => {
  const response: ProxiedResponse = {
    status: 200,
    headers: { a: '1', b: '2' },
    body: '{"label":"x","files":[{"label":"y"}]}',
  };

  test('is told by the operation and the status of a response', () => {
    expect(isWhere('getCase 200', request, 200)).toBe(true);
    expect(isWhere('getCase|updateVerificationSetting 2..', request, 201)).toBe(true);
    expect(isWhere('* 4..', request, 200)).toBe(false);
    expect(isWhere('none 404', { ...request, path: '/' }, 404)).toBe(true);
    expect(isOperation('getCase', { ...request, method: 'HEAD' })).toBe(false);
  });

  test.each([
    ['sets a field', set({ label: 1 }), { label: 1, files: [{ label: 'y' }] }],
    ['leaves a field out', unset('label'), { files: [{ label: 'y' }] }],
    ['changes each file', eachFile(set({ label: 1 })), { label: 'x', files: [{ label: 1 }] }],
  ])('%s', async (_name, edit, expected) => {
    const [mutant] = bodyMutants([['name', 'breaks', 'promise', 'getCase 200', edit]]);
    const changed = await mutant?.start(behind(response))(request);
    expect(JSON.parse(changed?.body ?? '')).toEqual(expected);
  });

  test('takes a header away', async () => {
    const [mutant] = headerMutants([['name', 'breaks', 'promise', '* 200', { a: undefined }]]);
    const changed = await mutant?.start(behind(response))(request);
    expect(changed?.headers).toEqual({ a: undefined, b: '2' });
  });

  test('plays another caller', () => {
    expect(secretOf(withSecret(request, 'other'))).toBe('other');
    expect(withSecret({ ...request, path: '/organisations/features/verification' }, 'key').headers).toEqual([
      ['x-api-key', 'key'],
    ]);
    expect(withBody(request, 'é').headers).toContainEqual(['Content-Length', '2']);
  });
});

describe('a mutant under a condition', () => {
  const chosen = conditionalMutants(300, 1);

  test('is chosen by a seed, and found again by its name', () => {
    const names = chosen.map(({ name }) => name);
    expect(conditionalMutants(300, 1).map(({ name }) => name)).toEqual(names);
    expect(conditionalMutants(300, 2).map(({ name }) => name)).not.toEqual(names);
    expect(names.filter((name) => conditionalMutant(name)?.name !== name)).toEqual([]);
    expect(conditionalMutant('no-such-mutant with Cookie')).toBeUndefined();
    expect(conditionalMutant(`${mutants[0]?.name ?? ''} on Sundays`)).toBeUndefined();
  });

  const withHeader = (name: string, value: string): ProxiedRequest => ({
    ...request,
    headers: [...request.headers, [name, value]],
  });
  test.each<[condition: string, requests: ProxiedRequest[], broken: boolean[]]>([
    [
      'with Accept-Language: de',
      [withHeader('accept-language', 'de'), withHeader('Accept-Language', 'fr'), request],
      [true, false, false],
    ],
    ['with Accept-Language', [withHeader('accept-language', 'x'), request], [true, false]],
    ['with a query', [{ ...request, path: '/cases/1?a' }, request], [true, false]],
    [
      'over HTTP/1.0',
      [
        { ...request, httpVersion: '1.0' },
        { ...request, httpVersion: '1.1' },
      ],
      [true, false],
    ],
    ['on the same request again', [request, request, { ...request, path: '/' }, request], [false, true, false, false]],
    [
      'each 7th request',
      Array.from({ length: 8 }, () => request),
      [...Array.from({ length: 6 }, () => false), true, false],
    ],
  ])('breaks the server %s, and else is the server', async (condition, requests, broken) => {
    const plain = mutants.find(({ name }) => name === 'read-responds-true')?.name ?? '';
    const read = { ...behind({ status: 200, headers: {}, body: '{"enabled":false}' }) };
    const ask = conditionalMutant(`${plain} ${condition}`)?.start(read);
    const bodies: (string | undefined)[] = [];
    for (const each of requests)
      bodies.push(
        (await ask?.({ ...each, path: each.path.replace('/cases/1', '/organisations/features/verification') }))?.body,
      );
    expect(bodies.map((body) => body?.includes('true'))).toEqual(broken);
  });

  test('breaks the server while others are in flight', async () => {
    const ask = conditionalMutant('read-responds-true with others in flight')?.start(
      behind({ status: 200, headers: {}, body: '{"enabled":false}' }),
    );
    const read = { ...request, path: '/organisations/features/verification' };
    const responses = await Promise.all([ask?.(read), ask?.(read), ask?.(read)]);
    expect(responses.map((response) => response?.body.includes('true'))).toEqual([false, false, true]);
  });
});

describe('the proxy', () => {
  test('passes requests and responses on as they are', async () => {
    const server = http.createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(418, { 'X-Seen': JSON.stringify(incoming.rawHeaders.slice(0, 6)) }).end('körper');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { forward, close } = forwardTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const proxy = await startProxy(forward);
    const outgoing = http.request(`${proxy.url}/a`, { headers: ['Host', 'x', 'A', '1', 'A', '2'] as never });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [http.IncomingMessage];
    expect(incoming.statusCode).toBe(418);
    expect(incoming.headers['x-seen']).toBe('["Host","x","A","1","A","2"]');
    expect((await incoming.toArray()).join('')).toBe('körper');
    await proxy.close();
    close();
    server.close();
  });

  test('remembers that a mutant has failed by itself', async () => {
    const proxy = await startProxy(() => Promise.reject(new Error('a mistake')));
    await expect(fetch(proxy.url)).rejects.toThrow();
    expect(proxy.errors).toMatchObject([{ message: 'a mistake' }]);
    await proxy.close();
  });
});

describe('the score', () => {
  const [first, second, third] = mutants.map(({ name }) => name);
  const about = 'conformance.getVerificationSetting.200.body';
  const results: MutantResult[] = [
    { name: first ?? '', first: about, stock: 'replay.a.200', conformance: about, problems: [], seconds: 1 },
    { name: second ?? '', problems: ['a problem'], seconds: 2 },
    { name: third ?? '', first: 'D16.a-word', rules: 'D16.a-word', problems: [], seconds: 3 },
    { name: 'members-reversed', problems: [], seconds: 4 },
    { name: 'members-sorted', first: 'D16.a-word', rules: 'D16.a-word', problems: [], seconds: 5 },
  ];

  test('counts what each layer has caught', () => {
    expect(scoreOf(results)).toEqual({ mutants: 3, stock: 1, suite: 2, asExpected: 1, harmless: 2, passed: 1 });
    expect(scoreLines(scoreOf(results))).toEqual([
      'Unmodified Dredd     1 of 3 (33%)',
      'Whole suite          2 of 3 (67%)',
      'By expected check    1 of 3 (33%)',
      'Harmless, passed     1 of 2 (50%)',
    ]);
  });

  test('tells a false alarm', () => {
    const [, , , passing, failing] = results.map(harmlessLineOf);
    expect(passing).toBe('harmless members-reversed (4.0 s): passes');
    expect(failing).toBe('FALSE ALARM members-sorted (5.0 s): D16.a-word');
  });

  test('tells a mutant that nothing has caught', () => {
    const [caught, missed, byAnother] = describeResults(results).map(lineOf);
    expect(caught).toBe(`caught ${first ?? ''} (1.0 s): ${about}`);
    expect(byAnother).toBe(
      `CAUGHT BY ANOTHER CHECK ${third ?? ''} (3.0 s): D16.a-word, expected ${promisesOf(third ?? '').join(' or ')}`,
    );
    expect(missed).toMatch(/^MISSED .* \(2\.0 s\): .*; a problem, expected .*$/);
    expect(tableOf(describeResults(results))).toContain(second);
    expect(markdownOf(describeResults(results))).toContain(`| **${second ?? ''}** |`);
  });
});
