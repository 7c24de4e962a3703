/** The scripts of `document-analysis completion`, read by the shells that are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const shells = ['bash', 'zsh', 'fish'];
const installed = shells.filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);
const script = (shell: string) => join(folder, `completion.${shell}`);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'document-analysis-completion-'));
  const program = join(folder, 'document-analysis');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${process.cwd()}/src/main.ts' "$@"\n`);
  chmodSync(program, 0o755);
  for (const shell of shells) writeFileSync(script(shell), execFileSync(program, ['completion', shell]));
  writeFileSync(join(folder, 'invoice.pdf'), '');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each(installed)('%s can read its script', (shell) => {
  expect(spawnSync(shell, ['-n', script(shell)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

const inFish = installed.includes('fish') ? test : test.skip;

inFish.each([
  ['ser', ['serve']],
  ['credential issue --kind a', ['access-token', 'api-key']],
  ['file add any inv', ['invoice.pdf']],
])('fish completes "%s"', (line, completed) => {
  const command = `source ${script('fish')}; complete -C 'document-analysis ${line}'`;
  const environment = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  const options = { cwd: folder, env: environment, encoding: 'utf8' } as const;
  const printed = execFileSync('fish', ['--no-config', '-c', command], options);
  expect(
    printed
      .trim()
      .split('\n')
      .map((found) => found.split('\t')[0]),
  ).toEqual(completed);
});
