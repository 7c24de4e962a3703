import { existsSync, renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { ListedCredential } from '../../../src/domain/credential.ts';
import { freePort } from '../../../scripts/free-port.ts';
import { settingPath } from '../../support/harness.ts';
import { CliHarness } from '../../support/cli.ts';

const cli = CliHarness.forEachTest();

/** Serves, does the work as soon as the output holds a text, and stops by a signal. */
async function serve(
  until: string,
  work: (output: string) => Promise<void>,
  environment: NodeJS.ProcessEnv = {},
  { signal = 'SIGTERM', options = [] }: { signal?: 'SIGINT' | 'SIGTERM'; options?: string[] } = {},
) {
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const outcome = cli.run(['serve', '--port', '0', ...options], { stdout, environment });
  while (!output.includes(until)) await sleep(10);
  await work(output);
  process.emit(signal);
  return { ...(await outcome), stdout: output };
}

function serving(region: string): RegExp {
  return new RegExp(`^Serving region ${region} on (http://127\\.0\\.0\\.1:\\d+)\\n(Documentation: .*\\n)?$`);
}

test('serves until it is told to stop, makes the demo on a first start, and tells of the use and the expiry of credentials', async () => {
  const first = await serve('Read a case:', async (output) => {
    const url = /on (http:\S+)/.exec(output)?.[1] ?? '';
    const key = /owner key +(\S+)/.exec(output)?.[1] ?? '';
    expect((await fetch(url + settingPath, { headers: { 'x-api-key': key } })).status).toBe(200);
  });
  expect(first.exitCode).toBe(0);
  expect(first.stderr).toContain('"status":200');

  const listed = await cli.json<ListedCredential[]>('credential list');
  const [used] = listed.filter(({ last_used_at: usedAt }) => usedAt !== null);
  expect(Date.parse(used?.last_used_at ?? '')).toBeGreaterThan(0);
  await cli.json(`credential issue ${used?.organisation_id} --kind api-key --role owner --expires-in-days 7`);
  const second = await serve('Serving', () => sleep(100));
  expect(second.stdout).toMatch(serving('uk'));
  expect(second.stderr.match(/a credential expires soon/g)).toHaveLength(1);
});

test('says where its probes and metrics are, if they are wanted', async () => {
  const probe = async (output: string) => {
    const url = /^Probes and metrics on (http:\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  };
  expect((await serve('Probes and metrics on ', probe, { OPS_PORT: '0' })).exitCode).toBe(0);
});

test('makes no demo in production', async () => {
  const environment = { NODE_ENV: 'production', REGION: 'ca' };
  const { exitCode, stdout } = await serve('Serving', () => sleep(100), environment, { signal: 'SIGINT' });
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(serving('ca'))]);
});

test.each([
  [{ HOST: '0.0.0.0' }, [], 'No demo data, because others can reach 0.0.0.0: start with --demo to create it\n'],
  [{ HOST: '::' }, [], 'No demo data, because others can reach ::: start with --demo to create it\n'],
  [{ HOST: '0.0.0.0', NODE_ENV: 'production' }, ['--demo'], '\nDemo data of region uk. '],
])('a first start with %j and %j says "%s"', async (given, options, told) => {
  const { exitCode, stdout } = await serve('emo data', async () => {}, given, { options });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(told)]);
  expect(stdout.includes('owner key')).toBe(options.length > 0);
});

test('does not go on serving after a failure of its start, and has not said that it serves', async () => {
  const port = String(await freePort());
  const outcome = await cli.run(['serve', '--port', port], { now: new Date(Number.NaN) });
  expect(outcome).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringContaining('Invalid time value') });
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
});

test('has nothing left to do that can fail when it says that it serves', async () => {
  const [data, away] = [join(cli.folder, 'data'), join(cli.folder, 'away')];
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      if (!existsSync(away)) renameSync(data, away);
      done();
    },
  });
  const outcome = cli.run(['serve', '--port', '0', '--no-analysis'], { stdout });
  while (!existsSync(away)) await sleep(10);
  await sleep(100);
  renameSync(away, data);
  process.emit('SIGTERM');
  expect((await outcome).exitCode).toBe(0);
});

test('the help names every variable that the configuration reads', async () => {
  const parts = ['files', 'store', 'analysis/registries', 'rate-limits', 'identity-provider'];
  const files = ['runtime/config', ...parts.map((part) => `${part}/settings`)];
  const sources = await Promise.all(files.map((file) => readFile(`src/${file}.ts`, 'utf8')));
  const names = [...sources.join('\n').matchAll(/^ {2}([A-Z][A-Z_]+): \w+\(/gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThan(20);
  const help = await cli.text('serve --help');
  expect(names.filter((name) => !help.includes(name))).toEqual([]);
});
