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
import { until } from '../../support/until.ts';

const cli = CliHarness.forEachTest();

/** Serves, does the work as soon as the output has a text, and stops by a signal. */
async function serve(
  text: string,
  work: (output: string) => Promise<void>,
  environment: NodeJS.ProcessEnv = {},
  signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM',
) {
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const outcome = cli.run('serve --port 0', { stdout, environment });
  await until(`serve says ${text}`, () => output.includes(text));
  await work(output);
  process.emit(signal);
  return { ...(await outcome), stdout: output };
}

function serving(region: string): RegExp {
  return new RegExp(`^Serving region ${region} on (http://127\\.0\\.0\\.1:\\d+)\\n(Documentation: .*\\n)?$`);
}

test('serves until it is told to stop, makes the demo on a first start, and tells of the use and the expiry of credentials', async () => {
  const environment = { REGION: 'ca' };
  const work = async (output: string) => {
    const url = /on (http:\S+)/.exec(output)?.[1] ?? '';
    const key = /owner key +(\S+)/.exec(output)?.[1] ?? '';
    expect((await fetch(url + settingPath, { headers: { 'x-api-key': key } })).status).toBe(200);
    // Commands to paste.
    const setting = `'${url}${settingPath}' --header 'x-api-key: ${key}'`;
    expect(output).toContain(`\n  curl ${setting}\n`);
    expect(output).toMatch(new RegExp(`^  curl --request PUT ${setting} .*--data '{"enabled": true}'$`, 'm'));
    expect(output).toMatch(/^ {2}curl '\S+\/cases\/[0-9a-f-]{36}' --header 'Authorization: Bearer dat_ca_\w{36}'$/m);
  };
  const first = await serve('Bearer', work, environment);
  expect(first.exitCode).toBe(0);
  expect(first.stderr).toContain('"status":200');

  const listed = await cli.json<ListedCredential[]>('credential list', { environment });
  const [used] = listed.filter(({ last_used_at: usedAt }) => usedAt !== null);
  expect(Date.parse(used?.last_used_at ?? '')).toBeGreaterThan(0);
  const issue = `credential issue ${used?.organisation_id} --kind api-key --role owner --expires-in-days 7`;
  await cli.json(issue, { environment });
  const second = await serve('Serving', () => sleep(100), environment);
  expect(second.stdout).toMatch(serving('ca'));
  expect(second.stderr.match(/a credential expires soon/g)).toHaveLength(1);
});

test('makes no demo in production, and says where its probes and metrics are, if they are wanted', async () => {
  const probe = async (output: string) => {
    const url = /^Probes and metrics on (http:\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  };
  const environment = { NODE_ENV: 'production', REGION: 'ca', OPS_PORT: '0' };
  const { exitCode, stdout } = await serve('Probes and metrics on ', probe, environment, 'SIGINT');
  expect([exitCode, stdout.replace(/^Probes.*\n/m, '')]).toEqual([0, expect.stringMatching(serving('ca'))]);
});

test.each(['0.0.0.0', '::'])('makes no demo on a first start on %s, and says so', async (host) => {
  const { exitCode, stdout } = await serve('emo data', async () => {}, { HOST: host });
  const told = `No demo data, because others can reach ${host}: start with --demo to create it\n`;
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(told)]);
  expect(stdout).not.toContain('owner key');
});

test('does not go on serving after a failure of its start, and has not said that it serves', async () => {
  const port = String(await freePort());
  const told = await cli.fails(1, ['serve', '--port', port], { now: new Date(Number.NaN) });
  expect(told).toContain('Invalid time value');
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
});

test('has nothing left to do that can fail when it says that it serves, with a demo on any host if it is asked for', async () => {
  const [data, away] = [join(cli.folder, 'data'), join(cli.folder, 'away')];
  let told = '';
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      told += chunk.toString();
      if (!existsSync(away)) renameSync(data, away);
      done();
    },
  });
  const environment = { HOST: '0.0.0.0', NODE_ENV: 'production' };
  const outcome = cli.run('serve --port 0 --no-analysis --demo', { stdout, environment });
  await until('the demo is told', () => /\nDemo data of region uk\. [^]*owner key/.test(told));
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
