import { describe, expect, test } from '@jest/globals';
import type http from 'node:http';
import type { Socket } from 'node:net';
import { ContractRun, credentials, lastLine } from '../support/contract.ts';
import {
  respondWith,
  responding,
  cutOff,
  json,
  trickling,
  withHttpServer,
  withSocketServer,
} from '../support/misbehaving-servers.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const ample = ['--run-timeout-seconds', '60'];

describe('a target that gives no whole response stops the run', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    [
      'broken chunks',
      responding(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`),
      'the response broke off: the size of a chunk is malformed',
    ],
    [
      'a body that is cut off',
      cutOff(`${head}Content-Length: 100\r\n\r\n{"en`),
      'the response broke off: the connection was closed before its end',
    ],
    ['a body that never ends', trickling(`${head}\r\n[1,`), 'no whole response within 0.5 s'],
  ])('%s', (_name, serve, message) =>
    withSocketServer(serve, (url) =>
      ContractRun.in(async (run) => {
        // Where something else comes, it may come late.
        const bound = message.endsWith('within 0.5 s') ? ['--timeout-seconds', '0.5'] : [];
        const { exitCode, stdout, stderr } = await run.against(url, [...ample, ...bound], credentials);
        expect(exitCode).toBe(1);
        expect(stderr).toMatch(/^notice: the verification setting cannot be put back afterwards: it cannot be .*\n$/);
        expect(stdout).toContain(message);
        expect(stdout).toContain('\n  the target has stopped responding\n  no check has passed\n');
        expect(stdout).toMatch(lastLine);
        expect(stdout).not.toMatch(/^ +at /m);
      }),
    ),
  );

  test('no response any more, after a while', async () => {
    let requests = 0;
    const first = respondWith(200, json, '{"enabled":false}');
    const handler: http.RequestListener = (request, response) => {
      if ((requests += 1) < 20) first(request, response);
    };
    await withHttpServer(handler, (url) =>
      ContractRun.in(async (run) => {
        // Enough for the responses that come on a loaded machine.
        const bound = ['--timeout-seconds', '2'];
        const { exitCode, stdout } = await run.against(url, [...ample, ...bound], credentials);
        expect(exitCode).toBe(1);
        expect(stdout).toContain('no response within 2 s');
        expect(stdout).toMatch(/\n {2}the target has stopped responding \(\d+ checks\)\n/);
        expect(stdout).toMatch(/ {2}the verification setting could not be put back to false: .* no response within/);
      }),
    );
  });
});

describe('a target that responds wrongly does not conform, whatever it is that has run when the time is over', () => {
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
    ['an endless limit', respondWith(429, { ...json, 'Retry-After': '1' }, '{}'), /the run has taken the 5 s/, []],
    ['a limit for a day', respondWith(429, { ...json, 'Retry-After': '86400' }, '{}'), longest, []],
    ['a limit that it does not keep', respondWith(200, limits, '{"enabled":false}'), longest, []],
  ])('%s', (name, handler, message, args) =>
    withHttpServer(handler, (url) =>
      ContractRun.in(async (run) => {
        const { exitCode, stdout } = await run.against(url, args, credentials);
        expect(exitCode).toBe(1);
        expect(stdout).toMatch(message);
        expect(stdout).toContain('\nThe server does not conform.\n');
        expect(stdout).not.toMatch(/^ +at /m);
        // What is about no status may pass, such as that refusals are alike.
        if (/^a(n endless)? limit( for a day)?$/.test(name)) expect(stdout).toContain('no check has passed');
        const [, , failed, skipped] = (lastLine.exec(stdout) ?? []).map(Number);
        expect((failed ?? 0) + (skipped ?? 0)).toBeGreaterThan(100);
      }),
    ),
  );
});
