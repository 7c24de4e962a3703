import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CliHarness } from '../../support/cli.ts';
import { settingPath } from '../../support/harness.ts';

let cli: CliHarness;
beforeAll(async () => {
  cli = await CliHarness.start();
});
afterAll(() => cli.stop());

test('tells where it serves and what it can answer, serves that, makes no data, and stops when told to', async () => {
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const outcome = cli.run(['mock', '--port', '0', '--region', 'ca'], { stdout });
  while (!output.includes('To choose one:')) await sleep(10);
  const url = /^Mocking region ca on (http:\S+)$/m.exec(output)?.[1] ?? '';
  const headers = { 'x-api-key': 'any', prefer: 'code=403, example=feature-not-enabled' };
  expect((await fetch(url + settingPath, { headers })).status).toBe(403);
  process.emit('SIGTERM');
  const { exitCode, stderr } = await outcome;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('"operationId":"getVerificationSetting","status":403');
  expect(output).toMatch(/^getVerificationSetting +403 +permission-missing, feature-not-enabled$/m);
  expect(output).toContain(
    `curl --request PUT '${url + settingPath}' --header 'x-api-key: anything' ` +
      `--header 'Content-Type: application/json' --data '{"enabled":true}' ` +
      `--header 'Prefer: code=403, example=permission-missing'\n`,
  );
  expect(existsSync(join(cli.folder, 'data'))).toBe(false);
});
