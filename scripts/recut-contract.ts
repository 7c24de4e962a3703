/** `npm run recut-contract`: replaces the released contract of a version that is not published (decision E14). */
import { copyFile } from 'node:fs/promises';
import { Command } from 'commander';
import { runCommandLine } from './command-line.ts';
import { readDocument } from './release/document.ts';
import { recutSubject, releasedFile, versionOf } from './release/released.ts';
import { run } from './release/run.ts';
import { refuseUnproven } from './release/steps.ts';
import { contractFile } from './release/verdict.ts';

const closingHelp = `
For the time before a version is published: its tag (v0.0.1) must not exist yet. It replaces
openapi/released/<version>.yaml, in a commit of its own that says so.

Exit codes:
  0  replaced, or there was nothing to replace
  1  refused, and nothing is changed
  2  wrong usage`;

await runCommandLine(
  new Command('npm run recut-contract')
    .description('Replace the released contract of a version that is not published by the contract as it is now.')
    .addHelpText('after', closingHelp)
    .action(recut),
);

async function recut(): Promise<void> {
  const version = versionOf(await readDocument(contractFile));
  const released = releasedFile(version);
  if ((await run('git', 'tag', '--list', `v${version}`)) !== '')
    throw new Error(`${version} is published: the tag v${version} exists. Change info.version instead.`);
  if ((await run('git', 'ls-files', '--', released)) === '')
    throw new Error(`${released} does not exist: make it with npm run release -- ${version}.`);
  if ((await run('git', 'status', '--porcelain')) !== '')
    throw new Error('The working tree is not clean: commit what it holds first.');
  await refuseUnproven();
  await copyFile(contractFile, released);
  if ((await run('git', 'status', '--porcelain', '--', released)) === '') {
    console.log(`${released} is the contract already.`);
    return;
  }
  await run('git', 'commit', '--message', recutSubject(version), '--', released);
  console.log(`${released} is replaced, in the commit "${recutSubject(version)}".`);
}
