import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { serving, startProgram, withDataDir } from '../support/process.ts';

// Where the kernel tells what a process has loaded.
const told = existsSync('/proc/self/maps');

(told ? test : test.skip)('a server that has nothing to draw has not loaded what draws', () =>
  withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], { NODE_ENV: 'production' });
    await serving(program);
    const loaded = readFileSync(`/proc/${program.child.pid}/maps`, 'utf8');
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(loaded).toContain('better-sqlite3/prebuilds/');
    expect(loaded).not.toMatch(/canvas|skia/);
  }),
);
