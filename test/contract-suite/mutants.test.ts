import { describe, expect, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import { canShow, conditional, drawConditional } from '../../contract/mutants/conditional.ts';
import { harmlessVariants } from '../../contract/mutants/harmless.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import type { ProxiedRequest, ProxiedResponse, ServerBehind } from '../../contract/mutants/mutant.ts';
import { startProxy } from '../../contract/mutants/proxy.ts';
import { lineOf, markdownOf, scoreLines, scoreOf } from '../../contract/mutants/report.ts';
import { type MutantResult, noMutant, promisesOf, runMutant } from '../../contract/mutants/run-mutant.ts';
import { serverNamed } from '../../contract/mutants/workers.ts';
import { createConformanceRecord } from '../../contract/run/conformance.ts';
import { allChecks } from '../../contract/run/run.ts';
import { patternOf } from '../../contract/run/selection.ts';
import { ownTargets } from '../../scripts/own-target.ts';

const startTarget = ownTargets();
const mutants = Object.values(mutantsByKind).flat();
const ids = [...allChecks(ownDocument, 1).map(({ id }) => id), ...conformanceIds()];

function conformanceIds(): string[] {
  const urls = { base_url: 'http://a.example', case_base_url: 'http://a.example' };
  const record = createConformanceRecord(ownDocument, urls);
  const service = { method: 'get', path: '/nowhere', responses: ownDocument.serviceResponses };
  for (const { method, path, responses } of [...ownDocument.operations, service])
    for (const status of Object.keys(responses).map(Number))
      record.note({
        request: { method, path: path.replace('{id}', '1') },
        ...{ url: urls.base_url, response: { status, headers: {}, text: '' }, violations: [] },
      });
  return record.results().map(({ check }) => check.id);
}

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
    expect(mutants.length).toBeGreaterThanOrEqual(220);
    expect(harmlessVariants.length).toBeGreaterThanOrEqual(40);
    const names = [...mutants, ...harmlessVariants].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(mutants.map(({ name, promise }) => [name, promise]))(
    'names checks that there are for %s',
    (_name, promise) => {
      expect(promise.split(' ').filter((pattern) => !ids.some((id) => patternOf(pattern).test(id)))).toEqual([]);
    },
  );
});

describe('a mutant under a condition', () => {
  const names = mutants.map(({ name }) => name);
  const draw = drawConditional(names, 40, 1);

  test('is chosen by a seed, and found again by its name', () => {
    expect(drawConditional(names, 40, 1)).toEqual(draw);
    expect(drawConditional(names, 40, 2)).not.toEqual(draw);
    expect(draw.names.filter((name) => conditional(name)?.name !== name)).toEqual([]);
    expect(conditional('no-such-mutant with Cookie')).toBeUndefined();
    expect(conditional(`${mutants[0]?.name ?? ''} on Sundays`)).toBeUndefined();
  });

  test.each([
    ['a-malformed-message-gets-400-without-a-body', 'with X-User-Role: owner', false],
    ['who-accepts-another-media-type-is-refused', 'with Accept: */*', false],
    ['x-http-method-override-changes-the-method', 'with X-HTTP-Method-Override: GET', true],
    ['a-case-of-another-organisation-is-returned', 'over HTTP/1.0', true],
    ['an-update-is-not-saved', 'with Expect', true],
  ])('is drawn only if a request can meet its condition: %s %s', (name, condition, isDrawn) => {
    expect(canShow(`${name} ${condition}`)).toBe(isDrawn);
  });

  const headers = request.headers;
  const withHeader = (name: string, value: string) => ({ ...request, headers: [...headers, [name, value] as const] });
  const version = (httpVersion: string): ProxiedRequest => ({ ...request, httpVersion });
  test.each<[condition: string, requests: ProxiedRequest[], broken: boolean[]]>([
    [
      'with Accept-Language: de',
      [withHeader('accept-language', 'de'), withHeader('Accept-Language', 'fr'), request],
      [true, false, false],
    ],
    ['with Accept-Language', [withHeader('accept-language', 'x'), request], [true, false]],
    ['with a query', [{ ...request, path: '/cases/1?a' }, request], [true, false]],
    ['over HTTP/1.0', [version('1.0'), version('1.1')], [true, false]],
    ['on the same request again', [request, request, { ...request, path: '/' }, request], [false, true, false, false]],
    ['each 7th request', Array<ProxiedRequest>(8).fill(request), [...Array<boolean>(6).fill(false), true, false]],
  ])('breaks the server %s, and else is the server', async (condition, requests, broken) => {
    const plain = mutants.find(({ name }) => name === 'every-read-returns-the-opposite')?.name ?? '';
    const read = { ...behind({ status: 200, headers: {}, body: '{"enabled":false}' }) };
    const ask = conditional(`${plain} ${condition}`)?.start(read);
    const bodies: (string | undefined)[] = [];
    for (const each of requests)
      bodies.push(
        (await ask?.({ ...each, path: each.path.replace('/cases/1', '/organisations/features/verification') }))?.body,
      );
    expect(bodies.map((body) => body?.includes('true'))).toEqual(broken);
  });
});

test('the proxy remembers that a mutant has failed by itself', async () => {
  const proxy = await startProxy(() => Promise.reject(new Error('a mistake')));
  await expect(fetch(proxy.url)).rejects.toThrow();
  expect(proxy.errors).toMatchObject([{ message: 'a mistake' }]);
  await proxy.close();
});

describe('the score', () => {
  const [first, second, third] = mutants.map(({ name }) => name);
  const about = 'conformance.getVerificationSetting.200.body';
  const results: MutantResult[] = [
    { name: first ?? '', first: about, problems: [], seconds: 1 },
    { name: second ?? '', problems: ['a problem'], seconds: 2 },
    { name: third ?? '', first: 'D31.a-word', problems: [], seconds: 3 },
    { name: 'members-in-reverse-order', problems: [], seconds: 4 },
    { name: 'json-indented-by-two-spaces', first: 'D31.a-word', problems: [], seconds: 5 },
  ];

  test('counts what the suite has caught', () => {
    expect(scoreOf(results)).toEqual({ mutants: 3, suite: 2, asExpected: 1, harmless: 2, passed: 1 });
    expect(scoreLines(scoreOf(results))).toEqual([
      'Whole suite          2 of 3 (67%)',
      'By expected check    1 of 3 (33%)',
      'Harmless, passed     1 of 2 (50%)',
    ]);
  });

  test('tells a mutant that nothing has caught, and a false alarm', () => {
    const [caught, missed, byAnother, passing, failing] = results.map(lineOf);
    expect(caught).toBe(`caught ${first ?? ''} (1.0 s): ${about}`);
    expect(byAnother).toBe(
      `CAUGHT BY ANOTHER CHECK ${third ?? ''} (3.0 s): D31.a-word, expected ${promisesOf(third ?? '').join(' or ')}`,
    );
    expect(missed).toMatch(/^MISSED .* \(2\.0 s\): a problem; expected .*$/);
    expect(passing).toBe('harmless members-in-reverse-order (4.0 s): passes');
    expect(failing).toBe('FALSE ALARM json-indented-by-two-spaces (5.0 s): D31.a-word');
  });

  test('is a table by kind, with each server and what has failed first', () => {
    const page = markdownOf(results);
    expect(page).toContain('| bodies of responses | 3 | 2 | 1 |');
    expect(page).toContain('| harmless variants | 2 | 1 |  |');
    expect(page).toMatch(new RegExp(`\\| ${second ?? ''} \\| - \\|`));
  });
});

const only = [
  ...['replay.get*.200', 'replay.updateVerificationSetting.2*', 'replay.updateVerificationSetting.41*', '2.*-F1*'],
  ...['4.3-*', 'explored.getVerificationSetting.success*', 'D31.kept-apart'],
];
test.each([
  [
    'strings-and-names-escaped the-charset-quoted cf-ray-on-each-response-and-server-timing-on-every-third every-second-letter-in-upper-case bodies-in-gzip-where-accepted',
  ],
  ['chunks-with-extensions-and-a-trailer'],
  ['one-429-with-retry-after-in-the-middle'],
])('the suite passes a server that conforms in other ways: %s', async (list) => {
  const names = list.split(' ');
  const variants = names.map((name) => harmlessVariants.find((variant) => variant.name === name) ?? noMutant);
  expect(variants).not.toContain(noMutant);
  const start = (server: ServerBehind) =>
    variants.reduce((behind, variant) => ({ ...behind, forward: variant.start(behind) }), server).forward;
  const [name = ''] = names;
  const result = await runMutant({ name, start }, startTarget, only);
  expect(result).toEqual({ name, problems: [], seconds: expect.any(Number) });
});

test.each([
  'the-first-file-is-analysing-before-its-upload',
  'a-case-that-was-read-before-it-was-locked-stays-unlocked',
  'successes-are-text-plain',
  'a-malformed-message-gets-400-without-a-body',
  'a-label-is-truncated-within-a-utf-8-character',
  'a-case-of-another-organisation-is-returned over HTTP/1.0',
  'every-role-may-update with X-Forwarded-For: 127.0.0.1',
])('the suite catches a mutant: %s by a check of its promise', async (name) => {
  const result = await runMutant(serverNamed(name), startTarget);
  expect(promisesOf(name).some((pattern) => patternOf(pattern).test(result.first ?? ''))).toBe(true);
});
