/** Operations of other shapes than those of the project's own document: the suite and the mock take them as they are. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type RunningServer } from '../../contract/cli/serve.ts';
import { schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { documentOf } from '../../contract/document/index.ts';
import { exploredChecks } from '../../contract/plan/explored-checks.ts';
import { situationsOf } from '../../contract/plan/situations.ts';
import { provoke, replayCases } from '../../contract/plan/provoked.ts';
import type { CheckResult } from '../../contract/run/model.ts';
import { withContainedIdentifiers } from '../../contract/run/reach-target.ts';
import { notProvokable, runChecks } from '../../contract/run/run-checks.ts';
import { startMock } from '../support/mock.ts';
import { optionsFor } from '../support/contract.ts';
import { apiOf } from '../unit/document/fixture.ts';

const document = documentOf(parse(readFileSync(new URL('./documents/shapes.yaml', import.meta.url), 'utf8')) as object);
const situations = situationsOf(document, 1);

describe('the situations', () => {
  const names = situations.map(({ name }) => name);

  test('have names of their own', () => {
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  test.each([
    'createCase by access_token with the body label.null',
    'lockCase by access_token of an identifier that is __proto__',
    'updateFolder by nobody with the body name.above-max-length',
    'updateFolder by nobody with the body folders.string',
    'updateFolder by nobody with the value nested deeply, of folders',
    'getStatus by nobody with the method GET at a path with backslash',
    'getStatus by nobody with the method GET at a path with parent path',
    'listCases by access_token with the value below-minimum as the query parameter limit',
    'listCases by access_token with the value above-maximum as the query parameter limit',
    'listCases by access_token with the value maximum as the query parameter limit',
    'listCases by access_token with two values as the query parameter limit',
    'listCases by access_token with the value string-yes as the query parameter locked',
    'listCases by access_token with the value below-min-length as the query parameter cursor',
    'listCases by access_token with the value 0.enum-2 as the query parameter state',
    'listCases by access_token with the value 0.enum-1-case as the query parameter state',
    'listCases by access_token with the value fraction as the header parameter X-Trace',
    'listCases by a credential that is absent',
    'listCases by the credential of apiKey',
    'listCases by a credential of apiKey that is empty',
    'listCases by a credential of apiKey that is one character changed',
    'getContent by a credential that is absent',
    'getContent by a credential of apiKey that is absent',
  ])('have %s', (name) => {
    expect(names).toContain(name);
  });

  const sameOf = (name: string) =>
    situations.find((each) => each.name === name)?.same.map((choice) => `${choice.name}, ${choice.source}`);

  test('include the default of a parameter, which changes nothing', () => {
    expect(sameOf('listCases by access_token')).toEqual(['limit=20, its default, document']);
  });

  test('ask no credential of a public operation, and send it some that it ignores', () => {
    expect(names.filter((name) => /^getStatus by a credential/.test(name))).toEqual([]);
    expect(situations.find(({ name }) => name === 'getStatus by nobody')?.needs).toEqual([]);
    expect(sameOf('getStatus by nobody')).toContain('a credential of apiKey that is malformed, decision');
    expect(sameOf('getStatus by nobody')).toContain('a credential of accessToken that is doubled, decision');
  });

  test('call with a key where a permission is required, since tokens may have none', () => {
    expect(names).toContain('getNote by owner_key');
    expect(names).toContain('getNote by the credential of accessToken');
  });

  test('ask of no identifier to be unknown where no 404 is documented', () => {
    expect(names.filter((name) => /^renameLabel .* of an (unknown )?identifier/.test(name))).toEqual([]);
  });
});

test.each<[string, object, string]>([
  ['a scheme that is not known', { security: [{ oauth: [] }] }, 'a known security scheme'],
  [
    'a parameter without an example',
    { parameters: [{ name: 'id', in: 'path', required: true }] },
    'an example of the parameter id',
  ],
  [
    'a body without an example',
    { requestBody: { content: { 'application/json': {} } } },
    'a valid example of the request body',
  ],
  [
    'a form without fields',
    { requestBody: { content: { 'multipart/form-data': {} } } },
    'a valid example of the request body',
  ],
])('a situation says what it needs: %s', (_what, changes, need) => {
  const post = { operationId: 'createNote', responses: { '201': {} }, ...changes };
  const [valid] = situationsOf(apiOf({ '/notes/{id}': { post } }, { title: document.title }), 1);
  expect(valid?.needs.map((each) => each.replace(/ \(in the document.*\)$/, ''))).toContain(need);
});

const provoked = (label: string) => {
  const found = replayCases(document).find((each) => each.label === label);
  if (!found) throw new Error(`The document has no ${label}.`);
  const result = provoke(found, document);
  return typeof result === 'string' ? result : [result.situation.name, result.example];
};

test.each<[label: string, situation: string, example: string | undefined]>([
  ['getStatus.200', 'getStatus by nobody', undefined],
  ['getStatus.429', 'getStatus by nobody once nobody has used up its limit', 'limited'],
  ['listCases.400', 'listCases by access_token with the value string-true as the query parameter limit', undefined],
  ['listCases.401', 'listCases by a credential that is absent', 'unauthenticated'],
  ['createCase.201', 'createCase by access_token', undefined],
  ['createCase.413', 'createCase by access_token with a body of 101 bytes', 'too-large'],
  ['createCase.415', 'createCase by access_token with a body of no media type', 'unsupported'],
  ['lockCase.204', 'lockCase by access_token', undefined],
  ['lockCase.404', 'lockCase by access_token of the unknown id', 'not-found'],
  ['getContent.200', 'getContent by access_token', undefined],
  ['getRegion.400', 'getRegion by nobody of the malformed region', undefined],
  ['getNote.400', 'getNote by owner_key with the value string-true as the header parameter X-Form', undefined],
  ['getNote.403', 'getNote by viewer_key', 'forbidden'],
  ['updateNote.400', 'updateNote by owner_key without a body', undefined],
  ['renameLabel.428', 'renameLabel by nobody with nothing as the header parameter If-Match', 'one'],
])('the replay derives %s', (label, situation, example) => {
  expect(provoked(label)).toEqual([situation, example]);
});

test('the replay tells what it cannot provoke', () => {
  expect(provoked('getRegion.304')).toMatch(/^no scenario is known/);
  expect(provoked('lockCase.409')).toMatch(/^no scenario is known/);
  expect(provoked('getStatus.default')).toMatch(new RegExp(`^${notProvokable}`));
});

describe('the mock of the document', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startMock({ region: 'uk', document });
  });

  test('keeps what is asked of a public operation and of parameters, and accepts any credential', async () => {
    const ofOthers = { ...document, title: 'Shapes' };
    const secrets = ['apiKey', 'accessToken'].map((name) => [schemeEntry(name), 'a-secret-1'] as const);
    const options = { ...optionsFor(server.url, Object.fromEntries(secrets)), document: ofOthers };
    const asked = exploredChecks(ofOthers, 1);
    const chosen = asked.filter(({ operation = '' }) => /^(getStatus|renameLabel|listCases)$/.test(operation));
    const results: CheckResult[] = await runChecks(chosen, options);
    expect(
      results.filter(({ outcome }) => outcome !== 'passed').map(({ check, failures }) => [check.id, failures]),
    ).toEqual([]);
    const measured = results.find(({ check }) => check.id === 'explored.listCases.credential')?.measured;
    expect(measured).toMatch(/ requests of the plan sent; the mock accepts any credential$/);
  });

  test('names the parts of what the credentials name', async () => {
    const options = optionsFor(server.url, { access_token: 'dat_uk_1', case_id: '1' });
    const known = await withContainedIdentifiers({ ...options, document });
    expect(known.target.credentials).toEqual({ ...options.target.credentials, file_id: 'f-1' });
    const found = situations.find(({ name }) => name === 'getFileContent by access_token');
    expect(found?.needs).toEqual(['access_token', 'case_id', 'file_id']);
  });
});
