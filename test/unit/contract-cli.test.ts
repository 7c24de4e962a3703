import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { program } from '../../contract/cli/program.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { ContractCommand } from '../support/contract.ts';
import { settingPath } from '../support/harness.ts';
import { sendOne } from '../support/raw-http.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { respondWith, serveHttp } from '../support/misbehaving-servers.ts';

const run = (...commandLine: string[]) => new ContractCommand(commandLine).ended;

describe('help', () => {
  const { stdout, stderr } = process;
  const context = { stdout, stderr, environment: {}, signal: new AbortController().signal };
  const names = program(context, () => undefined).commands.map((command) => command.name());

  test('lists the commands, and the version is that of the document', async () => {
    expect(names).toEqual(['check', 'mock', 'proxy']);
    const { exitCode, stdout, stderr } = await run('--help');
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: `${ownDocument.version}\n` });
  });

  test.each(names)('of %s describes it and gives an example', async (name) => {
    const { exitCode, stdout, stderr } = await run(name, '-h');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: .*\n\n[A-Z][^]*?\.\n\n/);
    expect(stdout).toMatch(/--openapi <file>[^]*Examples?:\n {2}\$ document-analysis-contract /);
  });
});

const [mock, target] = [['mock'], ['proxy', '--target']];
const notBase = '--target must be a base address such as https://api.example.com';
const openapi = 'test/contract-suite/documents/bikes/openapi.yaml';
test.each<[commandLine: string[], message: string, environment?: NodeJS.ProcessEnv]>([
  [['mcok'], 'For the options, add --help.\n'],
  [['mock', 'too', 'many'], 'For the options, add --help.\n'],
  [[...target, 'http://a', '--jsn'], 'For the options, add --help.\n'],
  [[...mock, '--port', 'x'], 'It must be a whole number from 0 to 65535.'],
  [mock, 'PORT must be a whole number from 0 to 65535, not "x"', { PORT: 'x' }],
  [mock, 'PORT must be a whole number from 0 to 65535, not "65536"', { PORT: '65536' }],
  [[...mock, '--openapi', 'no-such.yaml'], 'no-such.yaml'],
  [[...mock, '--cors', 'localhost:5173'], 'It must be an origin such as http://localhost:5173, or *.'],
  [[...mock, '--cors', 'http://localhost:5173/app'], 'or *: write http://localhost:5173.'],
  [['proxy'], "error: required option '--target <url>' not specified"],
  [[...target, 'ftp://a'], notBase],
  [[...target, 'http://user:secret@a'], notBase],
  [[...target, 'http://a', '--case-target', 'a'], '--case-target must be a base address'],
  [[...target, 'http://a', '--port', 'x'], 'It must be a whole number from 0 to 65535.'],
  [['check'], 'error: --url and --credentials are required: they name the server to check\n'],
  [['check', '--openapi', openapi], 'error: --url is required: it names the server to check\n'],
])('wrong usage: %j ends with 2 and says why: %s', async (commandLine, message, environment = {}) => {
  const { exitCode, stdout, stderr } = await new ContractCommand(commandLine, environment).ended;
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('secret');
});

test('the mock takes its address and region from the environment, tells which examples it has, serves them, makes no data, and stops when interrupted', async () => {
  const folder = await makeTemporaryFolder();
  const environment = { PORT: '0', HOST: '127.0.0.1', REGION: 'ca', DATA_DIR: join(folder, 'data') };
  const mock = new ContractCommand(['mock'], environment);
  const output = await mock.printed('Without Prefer');
  const url = /^Mocking region ca on (http:\S+)$/m.exec(output)?.[1] ?? '';
  const headers = { 'x-api-key': 'any', prefer: 'code=403, example=feature-not-enabled' };
  expect((await fetch(url + settingPath, { headers })).status).toBe(403);
  const { port } = new URL(url);
  const taken = `error: cannot listen on 127.0.0.1: the port ${port} is in use; choose another address with --host and --port\n`;
  expect(await run('mock', '--port', port)).toMatchObject({ exitCode: 2, stderr: taken });
  const { exitCode, stderr } = await mock.interrupt();
  expect(exitCode).toBe(0);
  expect(stderr).toContain('"operationId":"getVerificationSetting","status":403');
  expect(output).toMatch(/^getVerificationSetting +403 +permission-missing, feature-not-enabled$/m);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['http://localhost:5173', 'http://localhost:5173'],
  ['*', '*'],
])('--cors %s lets a web page of http://localhost:5173 call it', async (allowed, expected) => {
  const cors = ['--cors', 'https://app.example', '--cors', allowed];
  const mock = new ContractCommand(['mock', '--port', '0', '--region', 'ca', ...cors]);
  const url = /^Mocking region ca on (http:\S+)$/m.exec(await mock.printed('Without Prefer'))?.[1] ?? '';
  const send = (lines: string) => sendOne(url, `${lines}\r\nHost: x\r\nOrigin: http://localhost:5173\r\n\r\n`);
  const preflight = `OPTIONS ${settingPath} HTTP/1.1\r\nAccess-Control-Request-Method: PUT`;
  const response = await send(`${preflight}\r\nAccess-Control-Request-Headers: x-api-key,prefer`);
  const origin = { 'access-control-allow-origin': expected };
  const allows = { 'access-control-allow-headers': 'x-api-key,prefer', 'access-control-allow-methods': 'HEAD,GET,PUT' };
  expect(response).toMatchObject({ status: 200, headers: { ...origin, ...allows } });
  const refused = await send(`GET ${settingPath} HTTP/1.1`);
  expect(refused).toMatchObject({ status: 401, headers: origin });
  const exposed = /X-Request-Id.*RateLimit.*Retry-After.*Preference/;
  expect(refused?.headers['access-control-expose-headers']).toMatch(exposed);
  expect((await send(`OPTIONS ${settingPath} HTTP/1.1`))?.status).toBe(405);
  await mock.interrupt();
});

const headers = {
  'Content-Type': 'application/json',
  'X-Request-Id': 'a',
  'Cache-Control': 'no-store',
  'RateLimit-Policy': '"credential";q=600;w=60',
  RateLimit: '"credential";r=599;t=60',
};

/** Runs the proxy before a server that responds with this body, while somebody calls it, until it is interrupted. */
async function proxy(args: string[], body: string, work: (url: string) => Promise<unknown>) {
  const target = await serveHttp(respondWith(200, headers, body));
  const command = new ContractCommand(['proxy', '--target', target, '--port', '0', ...args]);
  await work(/http:[^ "]+/.exec(await command.printed('\n'))?.[0] ?? '');
  const { stdout, ...outcome } = await command.interrupt();
  const known = stdout.replaceAll(target, 'http://target').replace(/127\.0\.0\.1:\d+/g, 'proxy');
  return { ...outcome, stdout: known.replace(/^\d\d:\d\d:\d\d(?= )/gm, 'hh:mm:ss') };
}

const read = (url: string, headers: Record<string, string> = { 'x-api-key': 'a' }) =>
  fetch(url + settingPath, { headers });

test('tells where it is, each broken promise as a line, and a summary', async () => {
  const { exitCode, stdout, stderr } = await proxy([], '{"enabled":1,"x\\u001b[2J":1}', (url) => read(url, {}));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    `Proxying http://proxy to http://target
hh:mm:ss  request   GET ${settingPath}  credential: the header x-api-key is missing
hh:mm:ss  response  GET ${settingPath} 200  body: the body must NOT have additional properties (x\\u001b[2J)
hh:mm:ss  response  GET ${settingPath} 200  body: the body/enabled must be boolean

1 request, 1 response; 1 request and 1 response broke the contract

          operation               rule        times
request   getVerificationSetting  credential  1
response  getVerificationSetting  body        1
`,
  );
});

test('tells what is left out, and what was not looked at', async () => {
  const fields = Object.fromEntries(Array.from({ length: 53 }, (_, index) => [`f${index}`, 1]));
  const many = await proxy([], JSON.stringify({ enabled: true, ...fields }), (url) => read(url));
  expect(many.stdout).toContain(`response  GET ${settingPath} 200  and 3 more faults\n`);
  const large = await proxy([], ' '.repeat(17 * 1024 * 1024), async (url) => (await read(url)).text());
  expect(large.stdout).toContain(
    `hh:mm:ss  response  GET ${settingPath} 200  the body was not checked: it is larger than 16777216 bytes\n`,
  );
  expect(large.stdout).toContain('1 request, 1 response; none broke the contract\n');
});

test('prints JSON lines that any program can read', async () => {
  const args = ['--json', '--case-target', 'http://c.example'];
  const { exitCode, stdout } = await proxy(args, '{"enabled":1}', async (url) => {
    await read(url);
    await read(url);
  });
  expect(exitCode).toBe(0);
  const [start, ...lines] = stdout.match(/.+/g)?.map((line) => JSON.parse(line) as unknown) ?? [];
  const urls = { url: 'http://proxy', target: 'http://target', case_target: 'http://c.example' };
  expect(start).toEqual({ type: 'start', ...urls });
  const found = {
    type: 'response',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    method: 'GET',
    path: settingPath,
    operation_id: 'getVerificationSetting',
    status: 200,
    request_id: 'a',
    violations: [{ rule: 'body', message: 'the body/enabled must be boolean' }],
    violations_left_out: 0,
    body_not_checked: null,
  };
  expect(lines).toEqual([
    found,
    found,
    {
      type: 'summary',
      passed: { request: 2, response: 2 },
      broken: { request: 0, response: 2 },
      broken_rules: [{ type: 'response', operation_id: 'getVerificationSetting', rule: 'body', count: 2 }],
    },
  ]);
});

test('with --strict it fails if anything broke the contract, and only then', async () => {
  const broken = await proxy(['--strict'], '{"enabled":1}', (url) => read(url));
  expect([broken.exitCode, broken.stderr]).toEqual([1, 'error: 0 requests and 1 response broke the contract.\n']);
  const kept = await proxy(['--strict', '--case-target', 'http://c.example'], '{"enabled":true}', (url) => read(url));
  expect([kept.exitCode, kept.stderr]).toEqual([0, '']);
  expect(kept.stdout).toBe(
    'Proxying http://proxy to http://target and http://c.example\n\n1 request, 1 response; none broke the contract\n',
  );
});
