import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ContractCommand } from '../../support/contract.ts';
import { settingPath } from '../../support/harness.ts';
import { sendOne } from '../../support/raw-http.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

test('tells where it serves and which examples it has, serves them, makes no data, and stops when interrupted', async () => {
  const folder = await makeTemporaryFolder();
  const mock = new ContractCommand(['mock', '--port', '0', '--region', 'ca'], { DATA_DIR: join(folder, 'data') });
  const output = await mock.printed('Without Prefer');
  const url = /^Mocking region ca on (http:\S+)$/m.exec(output)?.[1] ?? '';
  const headers = { 'x-api-key': 'any', prefer: 'code=403, example=feature-not-enabled' };
  expect((await fetch(url + settingPath, { headers })).status).toBe(403);
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
  const mock = new ContractCommand(['mock', '--port', '0', '--cors', 'https://app.example', '--cors', allowed], {});
  const url = /^Mocking region uk on (http:\S+)$/m.exec(await mock.printed('Without Prefer'))?.[1] ?? '';
  const send = (lines: string) => sendOne(url, `${lines}\r\nHost: x\r\nOrigin: http://localhost:5173\r\n\r\n`);
  const preflight = `OPTIONS ${settingPath} HTTP/1.1\r\nAccess-Control-Request-Method: PUT`;
  const response = await send(`${preflight}\r\nAccess-Control-Request-Headers: x-api-key,prefer`);
  expect(response).toMatchObject({
    status: 200,
    headers: {
      'access-control-allow-origin': expected,
      'access-control-allow-headers': 'x-api-key,prefer',
      'access-control-allow-methods': 'HEAD,GET,PUT',
    },
  });
  const refused = await send(`GET ${settingPath} HTTP/1.1`);
  expect(refused).toMatchObject({
    status: 401,
    headers: {
      'access-control-allow-origin': expected,
      'access-control-expose-headers': expect.stringMatching(/X-Request-Id.*RateLimit.*Retry-After.*Preference/),
    },
  });
  const options = await send(`OPTIONS ${settingPath} HTTP/1.1`);
  expect(options?.status).toBe(405);
  await mock.interrupt();
});

test('takes its address and region from the environment', async () => {
  const environment = { PORT: '0', HOST: '127.0.0.1', REGION: 'ca' };
  const mock = new ContractCommand(['mock'], environment);
  expect(await mock.printed('Without Prefer')).toMatch(/^Mocking region ca on http:\/\/127\.0\.0\.1:\d+$/m);
  expect((await mock.interrupt()).exitCode).toBe(0);
});
