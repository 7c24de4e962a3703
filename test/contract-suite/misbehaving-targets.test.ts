/** Targets that misbehave: a run against them ends, tells what there is, and gives no secret away. */
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import type { Socket } from 'node:net';
import type { Report } from '../../contract/run/model.ts';
import { credentials, eachRun, idsOf, lastLine } from '../support/contract.ts';
import { cutOff, json, respondWith, trickling } from '../support/misbehaving-servers.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const ample = ['--run-timeout-seconds', '60'];
/** A loaded machine plans for seconds before it sends the first request. */
const slow = ['--run-timeout-seconds', '20'];
const run = eachRun();

test.each<[string, (socket: Socket) => void, string]>([
  ['a body that is cut off', cutOff(`${head}Content-Length: 100\r\n\r\n{"en`), 'the response broke off'],
  ['a body that never ends', trickling(`${head}\r\n[1,`), 'no whole response within 0.5 s'],
])('a target that gives no whole response stops the run: %s', async (_name, serve, message) => {
  // Where something else comes, it may come late.
  const bound = message.endsWith('within 0.5 s') ? ['--timeout-seconds', '0.5'] : [];
  const { exitCode, stdout, stderr } = await run.against(await run.serveBytes(serve), [...ample, ...bound]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^notice: the verification setting cannot be put back afterwards: it cannot be .*\n$/);
  expect(stdout).toContain(message);
  expect(stdout).toContain('\n  the target has stopped responding\n  no check has passed\n');
  expect(stdout).toMatch(lastLine);
  expect(stdout).not.toMatch(/^ +at /m);
});

test('a target that gives no whole response stops the run no response any more, after a while', async () => {
  let requests = 0;
  const first = respondWith(200, json, '{"enabled":false}');
  const url = await run.serve((request, response) => {
    if ((requests += 1) < 20) first(request, response);
  });
  // Enough for the responses that come on a loaded machine.
  const { exitCode, stdout } = await run.against(url, [...ample, '--timeout-seconds', '2']);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('no response within 2 s');
  expect(stdout).toMatch(/\n {2}the target has stopped responding \(\d+ checks\)\n/);
  expect(stdout).toMatch(/ {2}the verification setting could not be put back to false: .* no response within/);
});

const limits = { ...json, RateLimit: '"x";r=0;t=9999999999' };
const longest = /the target asks to wait \d+ s; the suite waits 120 s at most/;
test.each<[string, http.RequestListener, RegExp, string[]]>([
  [
    'HTML',
    (request, response) => {
      const known = request.headers['x-api-key'] !== undefined || request.headers.authorization !== undefined;
      respondWith(known ? 200 : 401, known ? { 'Content-Type': 'text/html' } : json, '<h1>')(request, response);
    },
    /text\/html is not documented/,
    [],
  ],
  ['no limits', respondWith(200, json, '{"enabled":false}'), /the header RateLimit is missing/, ['--provoke-429']],
  ['deep garbage', respondWith(200, json, '['.repeat(1e4)), /the body is not JSON/, []],
  ['an endless limit', respondWith(429, { ...json, 'Retry-After': '1' }, '{}'), /the run has taken the 20 s/, slow],
  ['a limit for a day', respondWith(429, { ...json, 'Retry-After': '86400' }, '{}'), longest, []],
  ['a limit that it does not keep', respondWith(200, limits, '{"enabled":false}'), longest, []],
])(
  'a target that responds wrongly does not conform, whatever it is that has run when the time is over: %s',
  async (name, handler, message, args) => {
    const { exitCode, stdout } = await run.against(await run.serve(handler), args);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(message);
    expect(stdout).toContain('\nThe server does not conform.\n');
    expect(stdout).not.toMatch(/^ +at /m);
    // What is about no status may pass, such as that refusals are alike.
    if (/^a(n endless)? limit( for a day)?$/.test(name)) expect(stdout).toContain('no check has passed');
    const [, , failed, skipped] = (lastLine.exec(stdout) ?? []).map(Number);
    expect((failed ?? 0) + (skipped ?? 0)).toBeGreaterThan(100);
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a run that %s interrupts puts the setting back and reports what has run',
  async (signal) => {
    let enabled = true;
    let interrupted = false;
    const url = await run.serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.method === 'PUT' && /^\{"enabled": ?(true|false)\}$/.test(body)) enabled = body.includes('true');
        if (!enabled && !interrupted) interrupted = run.child?.kill(signal) ?? false;
        setTimeout(() => response.writeHead(200, json).end(JSON.stringify({ enabled })), 2);
      });
    });
    const report = run.file('report.json');
    const { exitCode, stdout } = await run.against(url, [...ample, '--json', report]);
    expect([exitCode, interrupted, enabled]).toEqual([1, true, true]);
    expect(stdout).toContain(`  the run was interrupted by ${signal}\n`);
    expect(stdout).toMatch(lastLine);
    const written = JSON.parse(await readFile(report, 'utf8')) as Report;
    expect(written.conforms).toBe(false);
    expect(idsOf(written, 'failed').length).toBeGreaterThan(0);
    const last = written.results.filter(({ check }) => check.layer !== 'conformance').at(-1);
    expect(last).toMatchObject({ outcome: 'not run', reason: `the run was interrupted by ${signal}` });
  },
);

const secrets = {
  owner_key: 'dak_uk_Zq8/vN+3xT=7Lw!2',
  member_key: 'dak_uk_Rk5%41m&Yb@9Hs#6',
  viewer_key: 'dak_uk_Ft4$Pc^1Gd*0Je(8',
  access_token: 'dat_uk_Wm6"Ux\\2Ck<3Ob>5',
};
const shortestTold = 14;

/** Responds with everything that it was sent, as it is and in other forms. */
const echo: http.RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const text = [request.url, ...request.rawHeaders, body].join(' ');
    const forms = ['base64', 'base64url', 'hex'] as const;
    const told = {
      enabled: text,
      [text]: [encodeURIComponent(text), text.toUpperCase(), ...forms.map((form) => Buffer.from(text).toString(form))],
      ...Object.fromEntries(
        Object.values(secrets).map((secret) => [secret, Buffer.from(`:${secret}`).toString('base64')]),
      ),
    };
    response.writeHead(200, { ...json, RateLimit: encodeURIComponent(text).slice(0, 2000) }).end(JSON.stringify(told));
  });
};

/** The text with whatever it may hide: escapes undone, and all that may be base64 or hex decoded. */
function revealed(text: string): string {
  const unescaped = text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&#39;|&apos;/g, "'")
    .replace(/&amp;/g, '&');
  const unslashed = unescaped.replace(/\\(.)/g, '$1');
  const decoded = [...unescaped.matchAll(/[\w+/-]{16,}/g)].flatMap(([run]) => [
    ...[0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString('latin1')),
    ...[0, 1].map((offset) => Buffer.from(run.slice(offset), 'hex').toString('latin1')),
  ]);
  const percent = unescaped.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return [text, unescaped, unslashed, percent, percent.replace(/\\(.)/g, '$1'), ...decoded].join('\n').toLowerCase();
}

test('secrets are in nothing that a run writes, whatever the target sends back', async () => {
  const forms = ['junit', 'json', 'html', 'sarif', 'markdown'];
  const args = forms.flatMap((form) => [`--${form}`, run.file(form)]);
  const known = { ...secrets, case_id: credentials.case_id };
  const { exitCode, stdout, stderr } = await run.against(await run.serve(echo), args, known);
  expect(exitCode).toBe(1);
  const reports = await Promise.all(forms.map((form) => readFile(run.file(form), 'utf8')));
  for (const output of [stdout, stderr, ...reports]) {
    const text = revealed(output);
    for (const secret of Object.values(secrets))
      for (let at = 0; at + shortestTold <= secret.length; at += 1)
        expect(text.includes(secret.slice(at, at + shortestTold).toLowerCase())).toBe(false);
  }
  for (const output of [stdout, ...reports]) {
    expect(output).toContain('$OWNER_KEY');
    expect(output).toContain('[part of OWNER_KEY]');
  }
  expect(revealed(`x ${Buffer.from(secrets.owner_key).toString('base64')}`)).toContain('zq8/vn+3xt=7lw!2');
});
