import { chmod, readdir, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonOf, serving, startNode, startProgram, startServer, stop } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const dataDir = await makeTemporaryFolder();
await chmod(dataDir, 0o755);
const server = await startServer({ dataDir });

test('a first start in production makes no demo data, and files that only their owner can read', async () => {
  expect(await jsonOf(['organisation', 'list', '--data-dir', dataDir])).toEqual([]);
  for (const file of await readdir(dataDir)) expect((await stat(join(dataDir, file))).mode & 0o077).toBe(0);
});

test('a taken port is told in one line', async () => {
  const { port } = new URL(server.url);
  const second = startProgram(['serve', '--port', port, '--data-dir', dataDir]);
  expect([await second.ended, second.stdout(), second.stderr()]).toEqual([
    1,
    '',
    `error: Cannot listen on 127.0.0.1: the port ${port} is in use. ` +
      'Choose another address with --host and --port (HOST, PORT).\n',
  ]);
});

test('with fewer descriptors than connections it says so once, and idle connections lock nobody out', async () => {
  const program = startNode(
    ['src/main.ts', 'serve', '--port', '0', '--data-dir', await makeTemporaryFolder()],
    { NODE_ENV: 'production', LOG_LEVEL: 'info' },
    { shell: 'ulimit -n 256 && exec "$0" "$@"' },
  );
  const url = await serving(program);
  const { hostname, port } = new URL(url);
  const idle = Array.from({ length: 800 }, () => connect(Number(port), hostname).on('error', () => undefined));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  for (let request = 0; request < 10; request += 1)
    expect((await fetch(`${url}/thumbnails/${'0'.repeat(40)}.webp`)).status).toBe(404);
  for (const socket of idle) socket.destroy();
  await stop(program);
  const lines = program.stderr().split('\n').slice(0, -1);
  const warnings = lines.filter((line) => !line.includes('request completed'));
  expect(warnings.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      openFiles: 256,
      maxConnections: 192,
      msg: expect.stringContaining('MAX_CONNECTIONS is lowered from 10000 to 192') as unknown,
    }),
  ]);
});
