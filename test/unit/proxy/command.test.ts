import { expect, test } from '@jest/globals';
import { ContractCommand } from '../../support/contract.ts';
import { settingPath } from '../../support/harness.ts';
import { respondWith, serveHttp } from '../../support/misbehaving-servers.ts';

const headers = {
  'Content-Type': 'application/json',
  'X-Request-Id': 'a',
  'Cache-Control': 'no-store',
  'RateLimit-Policy': '"credential";q=600;w=60',
  RateLimit: '"credential";r=599;t=60',
};

/** Runs the proxy before a server that responds with this body, while somebody calls it, until it is interrupted. */
async function proxy(args: string[], body: string, work: (url: string) => Promise<unknown>) {
  let outcome = { exitCode: -1, stdout: '', stderr: '' };
  const target = await serveHttp(respondWith(200, headers, body));
  const command = new ContractCommand(['proxy', '--target', target, '--port', '0', ...args]);
  await work(/http:[^ "]+/.exec(await command.printed('\n'))?.[0] ?? '');
  outcome = await command.interrupt();
  outcome.stdout = outcome.stdout
    .replaceAll(target, 'http://target')
    .replace(/127\.0\.0\.1:\d+/g, 'proxy')
    .replace(/^\d\d:\d\d:\d\d(?= )/gm, 'hh:mm:ss');
  return outcome;
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
