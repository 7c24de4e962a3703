import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { serving, startNode, withDataDir } from '../support/process.ts';

test.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])(
  '%s with fewer descriptors than connections says so once, and idle connections lock nobody out',
  async (_, options) => {
    await withDataDir(async (dataDir) => {
      const program = startNode(
        ['src/main.ts', 'serve', '--port', '0', '--data-dir', dataDir, ...options],
        { NODE_ENV: 'production', LOG_LEVEL: 'info' },
        'ulimit -n 256 && exec "$0" "$@"',
      );
      const url = await serving(program);
      const { hostname, port } = new URL(url);
      const idle = Array.from({ length: 800 }, () => connect(Number(port), hostname).on('error', () => undefined));
      await Promise.all(idle.map((socket) => once(socket, 'connect')));
      for (let request = 0; request < 10; request += 1)
        expect((await fetch(`${url}/thumbnails/${'0'.repeat(40)}.webp`)).status).toBe(404);
      for (const socket of idle) socket.destroy();
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
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
  },
);
