import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startProgram, withDataDir } from '../support/process.ts';
import { until } from '../support/until.ts';

test.each([
  ['SIGTERM to one process', 'SIGTERM', []],
  ['SIGHUP to one process', 'SIGHUP', []],
  ['SIGINT to two workers', 'SIGINT', ['--workers', '2']],
] as const)('%s, sent again and again, cuts no request in flight', async (_, signal, options) => {
  await withDataDir(async (dataDir) => {
    const demo = startProgram(['demo', '--json', '--data-dir', dataDir]);
    expect(await demo.ended).toBe(0);
    const { owner_key: key } = JSON.parse(demo.stdout()) as DemoData;
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir, ...options]);
    const { port, host } = new URL(await serving(program));

    const body = JSON.stringify({ enabled: true });
    const socket = connect(Number(port), '127.0.0.1');
    let response = '';
    socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
    socket.write(
      `PUT ${settingPath} HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 5)}`,
    );
    await until('the body is asked for', () => response.includes('100 Continue'), 5);
    for (let times = 0; times < 3; times += 1) {
      program.child.kill(signal);
      await sleep(100);
    }
    socket.write(body.slice(5));
    await once(socket, 'close');
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(await program.ended).toBe(0);
  });
});

test('SIGTERM to workers that still start lets them end, and no process complains', async () => {
  await withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', '0', '--workers', '2', '--data-dir', dataDir], {
      LOG_LEVEL: 'info',
      NODE_ENV: 'production',
    });
    const parents = () => execFileSync('ps', ['-axo', 'ppid=']).toString().split('\n').map(Number);
    await until('a worker is started', () => parents().includes(program.child.pid ?? 0));
    program.child.kill('SIGTERM');
    expect([await program.ended, program.stderr()]).toEqual([0, '']);
  });
});
