import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import type { Report } from '../../contract/run/model.ts';
import { isSelected } from '../../contract/run/selection.ts';
import { checkOf, credentials, eachRun } from '../support/contract.ts';
import { json, respondWith } from '../support/misbehaving-servers.ts';

const unauthenticated = JSON.stringify({
  error_code: 'request.authentication.invalid-token',
  error_message: 'The API key is missing or not valid.',
});
const forbidden = '{"error_code":"request.forbidden","error_message":"Not permitted."}';
/** The headers of a response that counts against a limit. */
const headersOf = (limit: string) => ({
  ...json,
  RateLimit: `"${limit}";r=29;t=60`,
  'RateLimit-Policy': `"${limit}";q=30;w=60`,
  'X-Request-Id': randomUUID(),
  'Cache-Control': 'no-store',
});
/** A server that permits nobody anything, and says so as the document has it. */
const refusing: http.RequestListener = (request, response) => {
  const challenge = { 'WWW-Authenticate': 'ApiKey realm="document-analysis-uk"' };
  const isKnown = request.headers['x-api-key'] === credentials.owner_key || request.headers.authorization !== undefined;
  const respond = isKnown
    ? respondWith(403, headersOf('credential'), forbidden)
    : respondWith(401, { ...headersOf('failed-authentication'), ...challenge }, unauthenticated);
  respond(request, response);
};
const run = eachRun();
const passing = 'replay.updateVerificationSetting.401';
const failing = 'replay.getVerificationSetting.200';
const patient = ['--timeout-seconds', '10', '--run-timeout-seconds', '60'];

describe('a pattern', () => {
  const facts = { source: 'decision', operation: 'getCase', title: 'the title', rules: ['4.2-R1'] } as const;
  const check = checkOf('a.b+c.d', facts);
  test.each([
    ['a.b+c.d', true],
    ['a.*', true],
    ['*.d', true],
    ['a*c*d', true],
    ['getCase', true],
    ['rules', true],
    ['decision', true],
    ['4.2-R1', true],
    ['4.2-*', true],
    ['a', false],
    ['a.bbc.d', false],
    ['aXb+c.d', false],
    ['the title', false],
  ])('%s', (pattern, expected) => {
    expect(isSelected({ only: [pattern], skip: [] }, check)).toBe(expected);
    expect(isSelected({ only: [], skip: [pattern] }, check)).toBe(!expected);
  });
});

test('a part of the checks is listed without a server', async () => {
  const { exitCode, stdout } = await run.inProcess(['--list', '--only', 'replay.*', '--skip', 'getCase,*.429']);
  expect(exitCode).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(13);
  expect(lines[0]).toBe(`${failing}  getVerificationSetting returns 200 as the document says`);
});

test('a part of the checks is run alone, and is never said to be all', async () => {
  const url = await run.serve(refusing);
  const file = run.file('r.json');
  const target = await run.target(url);
  const chosen = ['--only', passing, '--json', file, '--require-all'];
  const { exitCode, stdout } = await run.inProcess([...target, ...patient, ...chosen]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\nThe server conforms in all that was checked; ')]);
  expect(stdout).toMatch(/\n {2}left out by --only or --skip \(\d+ checks\)\n/);
  expect(stdout).toMatch(/\n\d{2} passed, 0 failed, \d+ skipped\n$/);
  const { results } = JSON.parse(await readFile(file, 'utf8')) as Report;
  const left = results.filter(({ reason }) => reason === 'left out by --only or --skip');
  expect(left).toHaveLength(results.filter(({ check }) => check.layer !== 'conformance').length - 1);
});

const only = ['--only', `${passing},${failing}`];

test('a baseline is written, accepted, and names nothing in vain', async () => {
  const url = await run.serve(refusing);
  const file = run.file('known.txt');
  const target = [...(await run.target(url)), ...patient, '--baseline', file];

  const written = await run.inProcess([...target, ...only, '--write-baseline']);
  expect([written.exitCode, written.stdout]).toEqual([0, expect.stringContaining('1 known failure written to')]);
  expect((await readFile(file, 'utf8')).split('\n').slice(1)).toEqual([failing, '']);

  const accepted = await run.inProcess([...target, ...only]);
  expect(accepted.exitCode).toBe(0);
  expect(accepted.stdout).toContain(`Known failures: 1 check\n  ${failing}\n`);
  expect(accepted.stdout).toContain('\nThe server conforms in all that was checked but 1 known failure; ');
  expect(accepted.stdout).toMatch(/\n\d+ passed, 0 failed, \d+ skipped\n$/);

  await writeFile(file, `# known\n${failing} # soon\n${passing}\nreplay.none\n`);
  const fixed = await run.inProcess([...target, ...only]);
  expect(fixed.exitCode).toBe(1);
  expect(fixed.stdout).toContain(`  ${passing} is fixed: remove it from ${file}\n`);
  expect(fixed.stdout).toContain(`  ${file} names replay.none, and there is no such check: remove it\n`);

  await writeFile(file, `${failing}\nconformance.getCase.200.body\n`);
  expect((await run.inProcess([...target, ...only, '--skip', 'getCase'])).exitCode).toBe(0);

  await writeFile(file, '');
  const anew = await run.inProcess([...target, ...only]);
  expect([anew.exitCode, anew.stdout]).toEqual([
    1,
    expect.stringContaining(`Broken promises: 1 check, 1 likely cause\n\n${failing}\n`),
  ]);
});

test('a baseline keeps what was not run when it is written anew', async () => {
  const url = await run.serve(refusing);
  const file = run.file('known.txt');
  await writeFile(file, `replay.getCase.200\nconformance.getCase.200.body\n${passing}\n`);
  const target = [...(await run.target(url)), ...patient, '--baseline', file];
  expect(await run.inProcess([...target, ...only, '--write-baseline'])).toMatchObject({ exitCode: 0 });
  const expected = ['conformance.getCase.200.body', 'replay.getCase.200', failing, ''];
  expect((await readFile(file, 'utf8')).split('\n').slice(1)).toEqual(expected);
});
