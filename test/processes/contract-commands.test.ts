import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { serving, startScript, stop, withDataDir } from '../support/process.ts';

test('the mock responds to the commands that it prints, touches no data directory, and SIGINT ends it with 0', async () => {
  await withDataDir(async (folder) => {
    const dataDir = join(folder, 'data');
    const program = startScript('contract/main.ts', ['mock', '--port', '0'], { DATA_DIR: dataDir });
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
