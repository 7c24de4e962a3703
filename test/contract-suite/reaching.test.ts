import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import type { ApiDocument } from '../../contract/document/model.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { allChecks } from '../../contract/run/run.ts';
import { preflight } from '../../contract/run/reach-target.ts';
import { UsageError } from '../../contract/run/errors.ts';
import { openRemoteTarget } from '../../contract/target/remote-target.ts';
import type { Check, Report } from '../../contract/run/model.ts';
import { freePort } from '../../scripts/free-port.ts';
import { eachRun, optionsFor } from '../support/contract.ts';
import { listenOnFreePort } from '../support/listen-on-free-port.ts';
import { json, respondWith, trickling } from '../support/misbehaving-servers.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const all = ['--timeout-seconds', '10', '--run-timeout-seconds', '60'];
const only = [...all, '--only', 'replay.getVerificationSetting.200'];
const setting = respondWith(200, json, '{"enabled":false}');
const html = { 'Content-Type': 'text/html; charset=utf-8' };
const run = eachRun();

describe('a target is told in one line, with exit code 3,', () => {
  const unreachable = (reason: string) =>
    new RegExp(`^error: the target cannot be reached: GET http:\\S+: .*${reason}.*\\n$`);
  const another = (response: string) =>
    new RegExp(
      `^error: what responds at http:\\S+ is not this API \\(GET \\S+/verification: ${response}, GET \\S+/cases/.*\\)\\n$`,
    );
  const late = ['--timeout-seconds', '0.5'];
  const serving =
    (...response: Parameters<typeof respondWith>) =>
    () =>
      run.serve(respondWith(...response));
  const refusing: http.RequestListener = (request, response) => {
    respondWith(request.headers['x-api-key'] === undefined ? 403 : 401, json, '{}')(request, response);
  };

  test.each<[what: string, url: () => string | Promise<string>, message: RegExp, options?: string[]]>([
    ['where nothing listens', () => 'http://127.0.0.1:1', unreachable('connect ECONNREFUSED 127.0.0.1:1')],
    ['whose name is unknown', () => 'http://target.invalid', unreachable('target.invalid')],
    ['that hangs', () => run.serveBytes(() => undefined), unreachable('no response within 0.5 s'), late],
    ['that hangs up', () => run.serveBytes((socket) => socket.destroy()), unreachable('(closed|ECONNRESET)')],
    [
      'of interim responses',
      () => run.serveBytes(trickling('HTTP/1.1 103 Early Hints\r\n\r\n')),
      unreachable('within 0.5 s'),
      late,
    ],
    ["behind a proxy's page", serving(502, html, '<h1>Bad Gateway</h1>'), another('502 text/html')],
    ['that is a site', serving(200, html, '<h1>It works!</h1>'), another('200 text/html')],
    ['that has other objects', serving(200, json, '{"hello":"world"}'), another('200 application/json')],
    ['that is another API', serving(404, json, '{"message":"no such route"}'), another('404 application/json')],
    ['that refuses a key', () => run.serve(refusing), /^error: owner_key is refused with 401 by http:\S+\n$/],
    ['that refuses both', serving(401, json, '{}'), /^error: owner_key and access_token are refused with 401 by/],
    [
      'that redirects',
      serving(308, { Location: 'https://api.example/' }),
      /error: http:\S+\/verification redirects to https:\/\/api\.example\/ \(308\), and the suite follows no redirect\n$/,
    ],
  ])('%s', async (...[, url, message, options = []]) => {
    const { exitCode, stdout, stderr } = await run.inProcess([...(await run.target(await url())), ...all, ...options]);
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(message);
  });

  test('and in the reports that were asked for', async () => {
    const url = await run.serve(respondWith(404, json, '{}'));
    const reports = ['junit', 'json', 'html', 'sarif', 'markdown'];
    const files = reports.flatMap((form) => [`--${form}`, run.file(form)]);
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: run.file('summary') };
    const args = [...(await run.target(url)), ...files];
    const { exitCode, stdout, stderr } = await run.inProcess(args, { environment });
    const reason = stderr.replace(/^error: (.*)\n$/, '$1');
    expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/^::error title=the run itself::what responds at/)]);
    for (const file of [...reports, 'summary'])
      expect(await readFile(run.file(file), 'utf8')).toContain('is not this API (GET ');
    const { problems, conforms, results } = JSON.parse(await readFile(run.file('json'), 'utf8')) as Report;
    expect([problems, conforms, results]).toEqual([[reason], false, []]);
    expect(await readFile(run.file('junit'), 'utf8')).toMatch(/<testsuites name="contract" tests="1" failures="1"/);
  });

  test.each([
    [500, '{"detail":"no"}'],
    [200, '{}'],
    [200, '{"enabled":false,"case_id":1}'],
    [200, 'null'],
    [200, '{"ena'],
  ])('but an API that responds wrongly is checked: %s %s', async (status, body) => {
    const url = await run.serve(respondWith(status, json, body));
    const { exitCode } = await run.inProcess([...(await run.target(url)), ...only]);
    expect(exitCode).toBe(1);
  });

  async function asking(handler: http.RequestListener, document: ApiDocument, chosen: readonly Check[]) {
    const options = optionsFor(await run.serve(handler), { owner_key: 'dak_uk_1' });
    await preflight({ ...options, document }, chosen);
  }

  test('and leaves to the checks a credential that one of several operations refuses', async () => {
    const { operations } = ownDocument;
    const reading = operations.filter(({ operationId }) => operationId === 'getVerificationSetting');
    const others = reading.map((operation) => ({ ...operation, operationId: 'getOther', path: '/other' }));
    const document = { ...ownDocument, operations: [...reading, ...others] };
    const chosen = allChecks(document, 1);
    const refusing = (path: RegExp): http.RequestListener => {
      return (request, response) => {
        respondWith(path.test(request.url ?? '') ? 401 : 200, json, '{}')(request, response);
      };
    };
    await asking(refusing(/other/), document, chosen);
    await expect(asking(refusing(/./), document, chosen)).rejects.toThrow(/^owner_key is refused with 401 by /);
  });
});

test('--wait gives the server, and the gateway before it, time to come up', async () => {
  const port = await freePort();
  let requests = 0;
  const server = http.createServer((request, response) => {
    if ((requests += 1) < 3) respondWith(503, html, 'starting')(request, response);
    else setting(request, response);
  });
  const target = await run.target(`http://127.0.0.1:${port}`);
  const ended = run.inProcess([...target, ...only, '--wait', '20']);
  setTimeout(() => server.listen(port, '127.0.0.1'), 500);
  const { exitCode, stdout } = await ended;
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/\nreplay +1 +0 +20\n/)]);
  server.closeAllConnections();
  server.close();
});

test('--wait does not wait for ever', async () => {
  const target = await run.target('http://127.0.0.1:1');
  const { exitCode, stderr } = await run.inProcess([...target, ...only, '--wait', '0.5']);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('ECONNREFUSED')]);
});

const folder = await makeTemporaryFolder();
const [keyFile, ca] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
const made = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=gateway -addext subjectAltName=IP:127.0.0.1';
execFileSync('openssl', ['req', ...made.split(' '), '-keyout', keyFile, '-out', ca], { stdio: 'ignore' });
const [key, cert] = await Promise.all([readFile(keyFile), readFile(ca)]);
const seen: (string | undefined)[] = [];
const gateway = https.createServer({ key, cert }, (request, response) => {
  seen.push(request.url, request.headers['x-gateway-key'] as string | undefined);
  setting(request, response);
});
const url = `${(await listenOnFreePort(gateway)).url.replace('http:', 'https:')}/base/v1/`;

describe('a target behind a gateway with TLS', () => {
  test('is not trusted by itself', async () => {
    const { exitCode, stderr } = await run.inProcess([...(await run.target(url)), ...only]);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/: self-signed certificate \(--ca/)]);
  });

  test.each([
    ['--ca', ['--ca', ca], `--cacert "${ca}"`],
    ['--insecure', ['--insecure'], '--insecure'],
  ])('is reached with %s, under its base path, with the headers that it wants', async (_name, args, inCurl) => {
    seen.length = 0;
    const target = [...(await run.target(url)), ...only, ...args];
    const added = ['--header', 'X-Gateway-Key: hushhushhush', '--header', 'X-Team: blue'];
    const { exitCode, stdout } = await run.inProcess([...target, ...added]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      `curl --include --path-as-is --request GET ${inCurl} --header "x-api-key: $OWNER_KEY" ` +
        `--header "X-Gateway-Key: $X_GATEWAY_KEY" --header "X-Team: blue" "${url}organisations/features/verification"`,
    );
    expect(stdout).not.toContain('hush');
    expect(seen.slice(0, 2)).toEqual(['/base/v1/organisations/features/verification', 'hushhushhush']);
    expect(seen.filter((each) => each === undefined)).toEqual([]);
  });

  test.each([
    ['X-API-Key: mine', '--header cannot set X-API-Key: the checks send it themselves'],
    ['authorization: mine', '--header cannot set authorization'],
    ['Host: mine', '--header cannot set Host'],
    ['mineminemine', "--header must have the form 'Name: value'"],
    ['X: mine\r\nY: mine', "--header must have the form 'Name: value'"],
  ])('refuses %j', async (header, message) => {
    const target = await run.target(url);
    const { exitCode, stderr } = await run.inProcess([...target, '--header', header]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)]);
    expect(stderr).not.toContain('mine');
  });

  test('refuses certificates that are none', async () => {
    const target = await run.target(url);
    const file = await run.write('none.pem', 'nothing');
    const expected = { exitCode: 2, stderr: `error: the file ${file} of --ca has no certificate\n` };
    expect(await run.inProcess([...target, '--ca', file])).toMatchObject(expected);
  });
});

describe('a remote target', () => {
  async function open(url: string, caseUrl?: string) {
    const written = '{"base_url": "http://elsewhere.example", "region": "uk", "owner_key": "dak_uk_x"}';
    const credentials = await run.write('credentials.json', `\ufeff${written}`);
    return openRemoteTarget({ url, caseUrl, credentials, provoke429: false });
  }

  test('has the credentials of the file, at the addresses of the command line', async () => {
    const target = await open('https://api.example.com/v1/', 'https://cases.example.com');
    expect(target).toMatchObject({
      credentials: {
        base_url: 'https://api.example.com/v1',
        case_base_url: 'https://cases.example.com',
        region: 'uk',
        owner_key: 'dak_uk_x',
      },
      mayExhaustLimits: false,
    });
    expect(target.operator).toBeUndefined();
    await target.close();
  });

  test.each([
    'api.example.com',
    'ftp://api.example.com',
    'https://user:hunter2hunter2@api.example.com',
    'https://api.example.com/?token=hunter2hunter2',
    'https://api.example.com/#hunter2hunter2',
  ])('refuses the address "%s" without repeating what may be secret', async (url) => {
    await expect(open(url)).rejects.toThrow(UsageError);
    await expect(open(url)).rejects.toThrow(/^--url must be a base address such as https:\/\/api\.example\.com/);
    await expect(open('http://a.example', url)).rejects.toThrow(/^--case-url must be a base address/);
    await expect(open(url)).rejects.not.toThrow(/hunter2/);
  });
});
