import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { type ExitCode, exitCodes } from '../src/cli/errors.ts';
import { print } from '../src/cli/output.ts';
import { runScript, type ScriptContext, runAsMain } from './script.ts';
import { readDocument } from './release/document.ts';
import { refuseUnproven } from './release.ts';
import { recutSubject, releasedFile, versionOf } from './release/released.ts';
import { runIn } from './release/run.ts';
import { contractFile } from './release/verdict.ts';

const closingHelp = `
For the time before a version is published: its tag (v0.0.1) must not exist yet. It replaces
openapi/released/<version>.yaml, in a commit of its own that says so.

Exit codes:
  0  replaced, or there was nothing to replace
  1  refused, and nothing is changed
  2  wrong usage`;

/** `npm run recut-contract`: replaces the released contract of a version that is not published (decision E14). */
export function runRecut(argv: string[], context: ScriptContext): Promise<ExitCode> {
  const command = new Command('npm run recut-contract')
    .description('Replace the released contract of a version that is not published by the contract as it is now.')
    .addHelpText('after', closingHelp);
  return runScript(command, argv, context, async () => {
    const { root, stdout } = context;
    const run = runIn(root);
    const version = versionOf(await readDocument(join(root, contractFile)));
    const released = releasedFile(version);
    if ((await run('git', 'tag', '--list', `v${version}`)) !== '')
      throw new Error(`${version} is published: the tag v${version} exists. Change info.version instead.`);
    if ((await run('git', 'ls-files', '--', released)) === '')
      throw new Error(`${released} does not exist: make it with npm run release -- ${version}.`);
    if ((await run('git', 'status', '--porcelain')) !== '')
      throw new Error('The working tree is not clean: commit what it holds first.');
    await refuseUnproven(run);
    await copyFile(join(root, contractFile), join(root, released));
    if ((await run('git', 'status', '--porcelain', '--', released)) === '') {
      await print(stdout, `${released} is the contract already.\n`);
      return exitCodes.done;
    }
    await run('git', 'commit', '--message', recutSubject(version), '--', released);
    await print(stdout, `${released} is replaced, in the commit "${recutSubject(version)}".\n`);
    return exitCodes.done;
  });
}

if (import.meta.main) await runAsMain(runRecut);
