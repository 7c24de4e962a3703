import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CliHarness } from '../../support/cli.ts';
import { settingPath } from '../../support/harness.ts';
import { answer, withHttpServer } from '../../support/misbehaving-servers.ts';

let cli: CliHarness;
beforeAll(async () => {
  cli = await CliHarness.start();
});
afterAll(() => cli.stop());

const answered = {
  'Content-Type': 'application/json',
  'X-Request-Id': 'a',
  'RateLimit-Policy': '"credential";q=600;w=60',
  RateLimit: '"credential";r=599;t=60',
};

/** Runs the proxy before a server that answers with this body, while somebody calls it, until SIGINT. */
async function proxy(args: string[], body: string, work: (url: string) => Promise<unknown>) {
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let exitCode = -1;
  let stderr = '';
  await withHttpServer(answer(200, answered, body), async (target) => {
    const outcome = cli.run(['proxy', '--target', target, '--port', '0', ...args], { stdout });
    while (!output.includes('\n')) await sleep(10);
    await work(/http:[^ "]+/.exec(output)?.[0] ?? '');
    process.emit('SIGINT');
    ({ exitCode, stderr } = await outcome);
    output = output.replaceAll(target, 'http://target');
  });
  return { exitCode, stdout: output.replace(/127\.0\.0\.1:\d+/g, 'proxy'), stderr };
}

const read = (url: string, headers: Record<string, string> = { 'x-api-key': 'a' }) =>
  fetch(url + settingPath, { headers });

test('tells where it is, each broken promise as a line, and a summary', async () => {
  const { exitCode, stdout, stderr } = await proxy([], '{"enabled":1,"x\\u001b[2J":1}', (url) => read(url, {}));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    `Proxying http://proxy to http://target
12:00:00  request  GET ${settingPath}  credential: the header x-api-key is missing
12:00:00  answer   GET ${settingPath} 200  body: the body must NOT have additional properties (x\\u001b[2J)
12:00:00  answer   GET ${settingPath} 200  body: the body/enabled must be boolean

1 request, 1 answer; 1 request and 1 answer broke the contract

         operation               rule        times
request  getVerificationSetting  credential  1
answer   getVerificationSetting  body        1
`,
  );
});

test('tells what is left out, and what was not looked at', async () => {
  const fields = Object.fromEntries(Array.from({ length: 53 }, (_, index) => [`f${index}`, 1]));
  const many = await proxy([], JSON.stringify({ enabled: true, ...fields }), (url) => read(url));
  expect(many.stdout).toContain(`answer   GET ${settingPath} 200  and 3 more faults\n`);
  const large = await proxy([], ' '.repeat(17 * 1024 * 1024), async (url) => (await read(url)).text());
  expect(large.stdout).toContain(
    `12:00:00  answer   GET ${settingPath} 200  the body was not checked: it is larger than 16777216 bytes\n`,
  );
  expect(large.stdout).toContain('1 request, 1 answer; none broke the contract\n');
});

test('prints JSON lines that any program can read', async () => {
  const { exitCode, stdout } = await proxy(
    ['--json', '--case-target', 'http://c.example'],
    '{"enabled":1}',
    async (url) => {
      await read(url);
      await read(url);
    },
  );
  expect(exitCode).toBe(0);
  const [start, ...lines] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(start).toEqual({
    type: 'start',
    url: 'http://proxy',
    target: 'http://target',
    case_target: 'http://c.example',
  });
  const found = {
    type: 'answer',
    time: '2026-03-02T12:00:00.000Z',
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
      passed: { request: 2, answer: 2 },
      broken: { request: 0, answer: 2 },
      broken_rules: [{ type: 'answer', operation_id: 'getVerificationSetting', rule: 'body', count: 2 }],
    },
  ]);
});

test('with --strict it fails if anything broke the contract, and only then', async () => {
  const broken = await proxy(['--strict'], '{"enabled":1}', (url) => read(url));
  expect([broken.exitCode, broken.stderr]).toEqual([1, 'error: 0 requests and 1 answer broke the contract.\n']);
  const kept = await proxy(['--strict', '--case-target', 'http://c.example'], '{"enabled":true}', (url) => read(url));
  expect([kept.exitCode, kept.stderr]).toEqual([0, '']);
  expect(kept.stdout).toBe(
    'Proxying http://proxy to http://target and http://c.example\n\n1 request, 1 answer; none broke the contract\n',
  );
});

test.each([
  [[], "error: required option '--target <url>' not specified"],
  [['--target', 'ftp://a'], '--target must be a base address such as https://api.example.com'],
  [['--target', 'http://user:secret@a'], '--target must be a base address such as https://api.example.com'],
  [['--target', 'http://a', '--case-target', 'a'], '--case-target must be a base address'],
  [['--target', 'http://a', '--port', 'x'], 'PORT must be a whole number'],
])('refuses %j', async (args, message) => {
  const { exitCode, stderr } = await cli.run(['proxy', ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('secret');
});
