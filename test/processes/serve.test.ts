import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startProgram, told, withDataDir } from '../support/process.ts';

test('a first start prints credentials that work, a later one none, and SIGTERM ends it with 0', async () => {
  await withDataDir(async (dataDir) => {
    const args = ['serve', '--port', '0', '--data-dir', dataDir];
    const first = startProgram(args);
    const url = await serving(first);
    const key = await told(first, /owner key +(\S+)\n/);
    const response = await fetch(url + settingPath, { headers: { 'x-api-key': key } });
    expect([response.status, await response.json()]).toEqual([200, { enabled: false }]);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(first.stderr()).not.toContain(key);
    expect(first.stderr()).toContain('"operationId":"getVerificationSetting"');

    const second = startProgram(args);
    await serving(second);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
    expect(second.stdout()).toMatch(/^Serving region uk on (http:\/\/127\.0\.0\.1:\d+)\n(Documentation: .*\n)?$/);
  });
});

test('a first start in production makes no demo data, and files that only their owner can read', async () => {
  await withDataDir(async (dataDir) => {
    await chmod(dataDir, 0o755);
    const args = ['--data-dir', dataDir];
    const program = startProgram(['serve', '--port', '0', ...args], { NODE_ENV: 'production' });
    await serving(program);
    const list = startProgram(['organisation', 'list', '--json', ...args]);
    expect(await list.ended).toBe(0);
    expect(JSON.parse(list.stdout())).toEqual([]);
    for (const file of await readdir(dataDir)) expect((await stat(join(dataDir, file))).mode & 0o077).toBe(0);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

test('the command line works beside a running server on the same data', async () => {
  await withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], { NODE_ENV: 'production' });
    const url = await serving(program);
    const demo = startProgram(['demo', '--json', '--data-dir', dataDir]);
    expect(await demo.ended).toBe(0);
    const { owner_key: key, access_token: token, case_id: caseId } = JSON.parse(demo.stdout()) as DemoData;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const update = await fetch(url + settingPath, { method: 'PUT', headers, body: '{"enabled":true}' });
    expect(update.status).toBe(200);
    const read = await fetch(`${url}/cases/${caseId}`, { headers: { authorization: `Bearer ${token}` } });
    expect(read.status).toBe(200);

    const list = startProgram(['credential', 'list', '--json', '--data-dir', dataDir]);
    expect(await list.ended).toBe(0);
    for (const { credential_id: id } of JSON.parse(list.stdout()) as { credential_id: string }[])
      expect(await startProgram(['credential', 'revoke', id, '--data-dir', dataDir]).ended).toBe(0);
    expect((await fetch(url + settingPath, { headers })).status).toBe(401);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

test('a taken port is told in one line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', String(port), '--data-dir', dataDir]);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toBe(
      `error: Cannot listen on 127.0.0.1: the port ${port} is in use. ` +
        'Choose another address with --host and --port (HOST, PORT).\n',
    );
    expect(program.stdout()).toBe('');
  });
  other.close();
});
