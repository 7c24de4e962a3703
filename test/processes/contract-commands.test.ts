import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ProxyRecord } from '../../contract/proxy/observe.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startScript, stop, told, withDataDir } from '../support/process.ts';

const start = (args: string[], environment: NodeJS.ProcessEnv) =>
  startScript('contract/main.ts', [...args, '--port', '0'], environment);

test('the mock responds to the commands that it prints, touches no data directory, and SIGINT ends it with 0', async () => {
  await withDataDir(async (folder) => {
    const dataDir = join(folder, 'data');
    const program = start(['mock'], { DATA_DIR: dataDir });
    await serving(program);
    const printed = program.stdout().split('\n');
    const commands = printed.filter((line) => line.startsWith('  curl '));
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const [, status] = /code=(\d+)/.exec(command) ?? [];
      const args = ['-c', `${command} --silent --output /dev/null --write-out '%{http_code}'`];
      expect(execFileSync('sh', args, { encoding: 'utf8' })).toBe(status);
    }
    await stop(program, 'SIGINT');
    expect(existsSync(dataDir)).toBe(false);
  });
});

test('the proxy before the mock reports a wrong request, touches no data, and SIGTERM ends it with its verdict', async () => {
  await withDataDir(async (folder) => {
    const environment = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' };
    const mock = start(['mock'], environment);
    const proxy = start(['proxy', '--target', await serving(mock), '--json', '--strict'], environment);
    const { url } = JSON.parse(await told(proxy, /^(.*)\n/)) as { url: string };
    const headers = { 'x-api-key': 'a-key-that-nobody-may-see', 'content-type': 'application/json' };
    expect((await fetch(url + settingPath, { headers })).status).toBe(200);
    const wrong = await fetch(url + settingPath, { method: 'PUT', headers, body: '{"enabled":1}' });
    expect(wrong.status).toBe(400);
    proxy.child.kill('SIGTERM');
    expect(await proxy.ended).toBe(1);
    await stop(mock);
    const lines = proxy.stdout().trim().split('\n');
    expect(lines).toHaveLength(3);
    expect((JSON.parse(lines[1] ?? '') as ProxyRecord).violations).toEqual([
      { rule: 'body', message: 'the body/enabled must be boolean' },
    ]);
    expect(proxy.stdout() + proxy.stderr()).not.toContain('nobody-may');
  });
});
