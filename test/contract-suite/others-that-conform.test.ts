/** Servers of another API that conform to its document, in ways that a check can take for faults. */
import { describe, expect, test } from '@jest/globals';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { eachRun } from '../support/contract.ts';
import { json } from '../support/misbehaving-servers.ts';

const run = eachRun();
const document = fileURLToPath(new URL('./documents/items.yaml', import.meta.url));
const id = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';
const key = 'a-key-1';

/** Knows one item, whose ETag is not the one in the document; an invalid identifier is unknown to it. */
const items: RequestListener = (request, response) => {
  void respond(request, response);
};

async function respond(request: IncomingMessage, response: ServerResponse) {
  const body = await text(request);
  const { method = '', url = '', headers } = request;
  const end = (status: number, value: unknown = { message: 'no' }) =>
    response.writeHead(status, json).end(JSON.stringify(value));
  if (url.startsWith('/slow')) end(200);
  else if (headers['x-key'] !== key) end(401);
  else if (/^\/items(\?|$)/.test(url)) end(200, [{ id, name: 'a' }]);
  else if (url.replace(/\?.*/, '') !== `/items/${id}`) end(404);
  else if (/^(GET|HEAD)$/.test(method)) end(200, { id, name: 'a' });
  else if (headers['if-match'] !== '"now"') end(412);
  else end(isItem(body) ? 200 : 400, { id, name: 'a', message: 'no' });
}

function isItem(body: string): boolean {
  try {
    return /^\{"name":"\w{1,20}"\}$/.test(JSON.stringify(JSON.parse(body)));
  } catch {
    return false;
  }
}

/** Like it, but for one operation, to which it never responds. */
const itemsAlone: RequestListener = (request, response) => {
  if (request.url !== '/slow') items(request, response);
};

async function checked(server: RequestListener, configuration: string, ...options: string[]) {
  const config = await run.write('config.yaml', configuration);
  const named = ['--openapi', document, '--url', await run.serve(server), '--config', config];
  return run.inProcess([...named, '--seed', '1', ...options]);
}

describe('a server that conforms', () => {
  test('may refuse a documented If-Match, and say 404 for an identifier that is invalid', async () => {
    const { exitCode, stdout } = await checked(items, `security: { ApiKey: ${key} }\n`);
    expect(stdout).toMatch(/\n {2}missing: a current value of If-Match \(write it under values .*\n {4}replay\./);
    expect(stdout).toMatch(/\n {2}the server responds 404, which is documented too \(1 check\)\n {4}replay\.getItem/);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/ 0 failed, /)]);
  });

  test('passes with a current value', async () => {
    const values = `values: { putItem: { header: { If-Match: '"now"' } } }\n`;
    const { exitCode, stdout } = await checked(items, `security: { ApiKey: ${key} }\n${values}`);
    expect(stdout).not.toContain('If-Match');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/ 0 failed, /)]);
  });

  test('is not shown to conform without credentials, whose place is told', async () => {
    const { exitCode, stdout } = await checked(items, '{}\n');
    expect(stdout).toContain('\n  missing: a credential of ApiKey (under security in the configuration file) (');
    expect(stdout).toMatch(/\n {2}\d+ of \d+ checks did not run\n/);
    expect(stdout).toMatch(/\nThe server is not shown to conform\.\n\n\d+ passed, 0 failed, /);
    expect(exitCode).toBe(1);
  });
});

test('an operation that does not respond leaves the others to be checked', async () => {
  const only = ['--only', 'explored.getItem*', '--only', 'explored.getSlow*', '--timeout-seconds', '3'];
  const { stdout, stderr } = await checked(itemsAlone, `security: { ApiKey: ${key} }\n`, ...only);
  expect(stderr).toMatch(/^notice: GET http:\S+\/slow: no response within 3 s\n/);
  expect(stdout).toMatch(/\nBroken promises: 1 check, 1 likely cause\n\nexplored\.getSlow\.success\n/);
});
