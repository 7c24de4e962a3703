/** The scripts of `document-analysis completion`, read by the shells that are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const shells = ['bash', 'zsh', 'fish'];
const installed = shells.filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);

const folder = await makeTemporaryFolder();
const script = (shell: string) => join(folder, `completion.${shell}`);
const program = join(folder, 'document-analysis');
writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${process.cwd()}/src/main.ts' "$@"\n`);
chmodSync(program, 0o755);
for (const shell of shells) writeFileSync(script(shell), execFileSync(program, ['completion', shell]));
writeFileSync(join(folder, 'invoice.pdf'), '');

test.each(installed)('%s can read its script', (shell) => {
  expect(spawnSync(shell, ['-n', script(shell)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

/** The command that prints the candidates for a line, in the shells that can be asked without a terminal. */
const asking = {
  bash: 'COMP_WORDS=(document-analysis $1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); __document_analysis_complete; printf "%s\\n" "${COMPREPLY[@]}"',
  fish: 'complete -C "document-analysis $argv[1]"',
};

const cases: [line: string, completed: string[], byBash?: string[]][] = [
  ['ser', ['serve']],
  ['credential issue --kind a', ['access-token', 'api-key']],
  // bash completes the names of files by itself, because its function has no candidate.
  ['file add any inv', ['invoice.pdf'], ['']],
];

describe.each(['bash', 'fish'] as const)('%s', (shell) => {
  const ifInstalled = installed.includes(shell) ? test : test.skip;

  ifInstalled.each(cases)('completes "%s"', (line, completed, byBash = completed) => {
    const environment = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
    const options = { cwd: folder, env: environment, encoding: 'utf8' } as const;
    const words = ['-c', `source ${script(shell)}; ${asking[shell]}`, ...(shell === 'bash' ? ['bash'] : []), line];
    const printed = execFileSync(shell, words, options).trimEnd().split('\n');
    expect(printed.map((found) => found.split('\t')[0]).sort()).toEqual(shell === 'bash' ? byBash : completed);
  });
});
