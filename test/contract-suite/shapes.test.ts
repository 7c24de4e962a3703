/** Operations of other shapes than those of the project's own document: the suite and the mock take them as they are. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { isValid } from '../../contract/checks/expect-not-found.ts';
import { generatedChecks } from '../../contract/checks/index.ts';
import { type RunningServer, serve } from '../../contract/cli/serve.ts';
import { requestViolations } from '../../contract/conformance/request.ts';
import { responseViolations } from '../../contract/conformance/response.ts';
import { documentOf } from '../../contract/document/index.ts';
import { createMock } from '../../contract/mock/app.ts';
import { curlLines } from '../../contract/mock/describe-mock.ts';
import { replayCases } from '../../contract/replay/replay-case.ts';
import { provoke } from '../../contract/replay/scenarios.ts';
import type { CheckResult } from '../../contract/run/model.ts';
import { createHttpClient } from '../../contract/run/http-client.ts';
import { Pacing } from '../../contract/run/pacing.ts';
import { withContainedIdentifiers } from '../../contract/run/read-identifiers.ts';
import { notProvokable, runChecks } from '../../contract/run/run-checks.ts';

const document = documentOf(parse(readFileSync(new URL('./documents/shapes.yaml', import.meta.url), 'utf8')) as object);
const checks = generatedChecks(1, document);
const ids = checks.map(({ id }) => id.replace('generated.', ''));

describe('the generated checks', () => {
  test('have ids of their own', () => {
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    'listCases.query-parameter.limit.below-minimum',
    'listCases.query-parameter.limit.above-maximum',
    'listCases.query-parameter.limit.maximum',
    'listCases.query-parameter.limit.default',
    'listCases.query-parameter.limit.repeated',
    'listCases.query-parameter.locked.string-yes',
    'listCases.query-parameter.cursor.below-min-length',
    'listCases.query-parameter.state.0.enum-2',
    'listCases.query-parameter.state.0.enum-1-case',
    'listCases.header-parameter.X-Trace.fraction',
    'listCases.security.absent',
    'listCases.security.accepted-apiKey',
    'listCases.security.apiKey.empty',
    'listCases.security.apiKey.one-character-changed',
    'getContent.security.absent',
    'getContent.security.apiKey.absent',
    'getStatus.security.ignored-apiKey-malformed',
    'getStatus.security.ignored-accessToken-doubled',
    'createCase.body.label.null',
    'lockCase.parameter.id.sql-or',
    'updateFolder.body.name.above-max-length',
    'updateFolder.body.folders.string',
    'paths.backslash.getStatus',
    'paths.parent-path.getStatus',
    'renameLabel.media-type.upper-case',
    'renameLabel.parameter.region.sql-or',
  ])('have %s', (id) => {
    expect(ids).toContain(id);
  });

  test('ask no credential of a public operation', () => {
    expect(ids.filter((id) => /^getStatus\.security\.(?!ignored-)/.test(id))).toEqual([]);
    expect(checks.find(({ id }) => id === 'generated.getStatus.valid-request')?.needs).toEqual([]);
  });

  test('call with a key where a permission is required, since tokens may have none', () => {
    const check = (id: string) => checks.find((each) => each.id === `generated.getNote.${id}`);
    expect(check('valid-request')?.needs).toEqual(['owner_key']);
    expect(check('security.accepted-accessToken')?.title).toMatch(/, or 403$/);
    expect(checks.find(({ id }) => id === 'generated.listCases.security.accepted-apiKey')?.title).toMatch(/gets 200$/);
  });

  test.each([
    ['%zz', {}, true],
    ['%zz', { enum: ['uk'] }, false],
    ['%zz', { type: 'integer' }, false],
    ['u%6b', { enum: ['uk'] }, true],
  ])('take %s by %j for valid: %s', (text, schema, valid) => {
    expect(isValid(schema, text)).toBe(valid);
  });

  test('ask of no identifier to be unknown where no 404 is documented', () => {
    expect(ids.filter((id) => /^renameLabel\.(parameter\.label\.nil-uuid|random\.parameter)/.test(id))).toEqual([]);
  });

  test('send no documented parameter to see that unknown ones are ignored', () => {
    expect(ids).toContain('listCases.query.unknown');
    expect(ids).not.toContain('listCases.header.X-Trace');
  });
});

describe('the replay', () => {
  const provoked = (label: string) => {
    const found = replayCases(document).find((each) => each.label === label);
    if (!found) throw new Error(`The document has no ${label}.`);
    const result = provoke(found, document);
    return typeof result === 'string' ? result : result.scenario;
  };

  test.each<[label: string, scenario: object]>([
    ['getStatus.200', {}],
    ['getStatus.429', { given: 'exhausted-quota', example: 'limited' }],
    ['listCases.400', { query: 'limit=true' }],
    ['listCases.401', { secret: 'made-up', example: 'unauthenticated' }],
    ['createCase.201', {}],
    ['createCase.413', { example: 'too-large' }],
    ['createCase.415', { contentType: 'application/x-unknown', example: 'unsupported' }],
    ['lockCase.204', {}],
    ['lockCase.404', { example: 'not-found' }],
    ['getContent.200', {}],
    ['getRegion.400', { path: { region: expect.not.stringMatching(/^(uk|ca)$/) } }],
    ['getNote.400', { headers: { 'X-Form': expect.not.stringMatching(/^(short|long)$/) } }],
    ['getNote.403', { credential: 'viewer_key', example: 'forbidden' }],
    ['updateNote.400', { body: '' }],
    ['renameLabel.428', { without: ['If-Match'], example: 'one' }],
  ])('derives %s', (label, scenario) => {
    expect(provoked(label)).toMatchObject(scenario);
  });

  test('tells what it cannot provoke', () => {
    expect(provoked('getRegion.304')).toMatch(/^no scenario is known/);
    expect(provoked('lockCase.409')).toMatch(/^no scenario is known/);
    expect(provoked('getStatus.default')).toMatch(new RegExp(`^${notProvokable}`));
  });
});

describe('conformance', () => {
  const violations = (path: string, headers: Record<string, string[]> = {}) =>
    requestViolations({ method: 'GET', path, headers, bodyBytes: 0, body: undefined }, document).map(
      (found) => found.message,
    );
  const token = { authorization: ['Bearer x'] };

  test('checks the parameters of a request', () => {
    expect(violations('/status?limit=x')).toEqual([]);
    expect(violations('/cases?limit=5&locked=false&state=open&state=closed&other=1', token)).toEqual([]);
    expect(violations('/cases?limit=0&state=none', token)).toEqual([
      'the query parameter limit must be >= 1',
      'the query parameter state/0 must be equal to one of the allowed values',
    ]);
    expect(violations('/cases', { ...token, 'x-trace': ['a'] })).toEqual([
      'the header parameter X-Trace must be integer',
    ]);
    expect(violations('/cases')).toEqual(['the header Authorization is missing']);
    expect(violations('/cases', { 'x-api-key': ['a'] })).toEqual([]);
    expect(violations('/cases/1/content', token)).toEqual(['the header X-API-Key is missing']);
  });

  test('checks a response without a body, one that has bytes, and its headers', () => {
    const told = (method: string, path: string, status: number, headers: Record<string, string>, text = '') =>
      responseViolations(method, path, { status, headers, text }, { allowExtraFields: false, document }).map(
        ({ message }) => message,
      );
    expect(told('POST', '/cases/1/lock', 204, {})).toEqual([]);
    expect(told('POST', '/cases/1/lock', 204, {}, '{}')).toEqual(['a response 204 has a body']);
    expect(told('GET', '/cases/1/content', 200, { 'content-type': 'image/png' }, '\u0000')).toEqual([]);
    expect(told('GET', '/cases/1/content', 200, { 'content-type': 'text/html' })).toEqual([
      'the media type text/html is not documented',
    ]);
    expect(told('POST', '/cases', 201, { 'content-type': 'application/json' }, '{}')).toEqual([
      'the header Location is missing',
    ]);
  });
});

describe('the mock of the document', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await serve(createMock({ region: 'uk', document }), { host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  const token = { authorization: 'Bearer any' };
  test.each<[status: number, method: string, path: string, headers?: Record<string, string>, body?: object]>([
    [200, 'GET', '/status'],
    [200, 'GET', '/status', { 'x-api-key': '' }],
    [200, 'GET', '/cases?limit=5', token],
    [200, 'GET', '/cases', { 'x-api-key': 'any' }],
    [200, 'PUT', '/folder', {}, { name: 'a', folders: [{ name: 'b', folders: [] }] }],
    [400, 'PUT', '/folder', {}, { name: 'a', folders: [{ name: 1 }] }],
    [400, 'GET', '/cases?limit=500', token],
    [401, 'GET', '/cases'],
    [204, 'POST', '/cases/1/lock', token],
    [409, 'POST', '/cases/1/lock', { ...token, prefer: 'code=409' }],
    [401, 'GET', '/cases/1/content', token],
    [200, 'GET', '/cases/1/content', { ...token, 'x-api-key': 'any' }],
    [401, 'DELETE', '/regions/uk/labels/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10'],
    [204, 'DELETE', '/regions/uk/labels/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10', token],
    [404, 'DELETE', '/regions/uk/labels/1', token],
    [405, 'PUT', '/status'],
    [404, 'GET', '/status/'],
  ])('responds %i to %s %s', async (status, method, path, headers = {}, body) => {
    const sent = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } };
    const response = await fetch(server.url + path, { method, headers, ...sent });
    const text = await response.text();
    expect(response.status).toBe(status);
    const received = { status, headers: Object.fromEntries(response.headers), text };
    expect(responseViolations(method, path, received, { allowExtraFields: false, document })).toEqual([]);
  });

  test('is told a command for each operation that has all that is required', () => {
    const command = curlLines('', document).find((line) => line.includes('PATCH'));
    expect(command).toBe(
      `curl --request PATCH '/regions/uk/labels/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10?since=2026-03-02T09%3A15%3A00Z' ` +
        `--header 'If-Match: "1"' --header 'Content-Type: application/merge-patch+json' --data '{"name":"a"}' ` +
        `--header 'Prefer: code=413, example=too-large'`,
    );
  });

  test('keeps what the generated checks of a public operation and of parameters ask', async () => {
    const credentials = {
      base_url: server.url,
      case_base_url: server.url,
      owner_key: 'dak_uk_1',
      access_token: 'dat_uk_1',
    };
    const target = { credentials, mayExhaustLimits: false, close: () => Promise.resolve() };
    const client = createHttpClient(5);
    const options = {
      target,
      client,
      pacing: new Pacing(() => undefined),
      seed: 1,
      allowExtraFields: false,
      document,
    };
    const chosen = checks.filter(({ id }) =>
      /getStatus|renameLabel|parameter\.(limit|locked|cursor|state|X-Trace)|security\.accepted/.test(id),
    );
    const ignore = () => undefined;
    const results: CheckResult[] = await runChecks(chosen, options, { onStart: ignore, onResult: ignore });
    client.close();
    expect(
      results.filter(({ outcome }) => outcome !== 'passed').map(({ check, failures }) => [check.id, failures]),
    ).toEqual([]);
    expect(results.length).toBeGreaterThan(100);
  });

  test('does not let the checks run that each alternative refuses unknown credentials, since it accepts any', async () => {
    const credentials = { base_url: server.url, case_base_url: server.url, owner_key: 'dak_uk_1', access_token: 'dat' };
    const target = { credentials, mayExhaustLimits: false, close: () => Promise.resolve() };
    const client = createHttpClient(5);
    const pacing = new Pacing(() => undefined);
    const options = { target, client, pacing, seed: 1, allowExtraFields: false, document };
    const chosen = checks.filter(({ id }) => /listCases\.security\.(apiKey\.)?unknown$/.test(id));
    const ignore = () => undefined;
    const results = await runChecks(chosen, options, { onStart: ignore, onResult: ignore });
    client.close();
    expect(results.map(({ check, outcome }) => [check.id, outcome])).toEqual([
      ['generated.listCases.security.unknown', 'not run'],
      ['generated.listCases.security.apiKey.unknown', 'not run'],
    ]);
  });

  test('names the parts of what the credentials name', async () => {
    const credentials = { base_url: server.url, case_base_url: server.url, access_token: 'dat_uk_1', case_id: '1' };
    const target = { credentials, mayExhaustLimits: false, close: () => Promise.resolve() };
    const client = createHttpClient(5);
    const pacing = new Pacing(() => undefined);
    const options = { target, client, pacing, seed: 1, allowExtraFields: false, document };
    const known = await withContainedIdentifiers(options);
    client.close();
    expect(known.target.credentials).toEqual({ ...credentials, file_id: 'f-1' });
    const [check] = checks.filter(({ id }) => id === 'generated.getFileContent.valid-request');
    expect(check?.needs).toEqual(['access_token', 'case_id', 'file_id']);
  });
});
