/** `npm run release -- VERSION`: releases the contract and the packages as a version. */
import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import semver from 'semver';
import { abortedByStopSignals, fail, runCommandLine } from './command-line.ts';
import { changelogFile, contractChangelogFile, hasUnreleased } from './release/changelog.ts';
import { isReleaseVersion } from './release/released.ts';
import { run } from './release/run.ts';
import { refuseUnproven, type Step, stepsOf, takeBack } from './release/steps.ts';
import { contractFile, judgeContract, type Verdict } from './release/verdict.ts';

const closingHelp = `
It refuses a version that is not higher than the last one or too low for what changed, a branch other than main, a
working tree that is not clean, a changelog without unreleased entries, a document with faults and stale generated
files. If a step fails, all steps are taken back.

Examples:
  $ npm run release -- 0.0.2 --dry-run
  $ npm run release -- 0.0.2

Exit codes:
  0  released; with --dry-run: it could be
  1  refused, or a step failed and nothing is changed
  2  wrong usage`;

await runCommandLine(
  new Command('npm run release --')
    .description('Release the contract and the package as a version: a commit and a tag, on this machine alone.')
    .argument('<version>', 'three numbers, as in 0.0.2', parseVersion)
    .option('--dry-run', 'check everything, and print the steps without taking them')
    .addHelpText('after', closingHelp)
    .action(release),
);

async function release(version: string, { dryRun }: { dryRun?: true }): Promise<void> {
  const reasons = await refusals(version);
  for (const reason of reasons) fail(reason);
  if (reasons.length > 0) return;
  await refuseUnproven();
  const steps = stepsOf(version, new Date());
  if (dryRun) {
    for (const { title } of steps) console.log(`would ${title}`);
    return;
  }
  await takeAll(steps, version);
  console.log(`
${version} is released on this machine. To publish it, push its tag; the release workflow does the rest:
  git push --follow-tags
To take it back before it is pushed:
  git tag --delete v${version} && git reset --hard HEAD~1`);
}

async function takeAll(steps: Step[], version: string): Promise<void> {
  const signal = abortedByStopSignals();
  const commit = await run('git', 'rev-parse', 'HEAD');
  try {
    for (const { title, take } of steps) {
      signal.throwIfAborted();
      console.log(title);
      await take();
    }
  } catch (error) {
    await takeBack(version, commit);
    throw new Error(`${(error as Error).message}\nAll steps were undone; nothing has changed.`, { cause: error });
  }
}

function parseVersion(text: string): string {
  const version = text.replace(/^v/, '');
  if (!isReleaseVersion(version)) throw new InvalidArgumentError('It must be three numbers, as in 0.0.2.');
  return version;
}

/** The reasons why a version cannot be released from the current checkout; empty if it can. */
async function refusals(version: string): Promise<string[]> {
  const [branch, changed, tag, changelog, contractChangelog, verdict] = await Promise.all([
    run('git', 'rev-parse', '--abbrev-ref', 'HEAD'),
    run('git', 'status', '--porcelain'),
    run('git', 'tag', '--list', `v${version}`),
    readFile(changelogFile, 'utf8'),
    readFile(contractChangelogFile, 'utf8'),
    judgeContract(),
  ]);
  return [
    ...(branch === 'main' ? [] : [`The branch is ${branch}: a release is made on main.`]),
    ...(changed === '' ? [] : [`The working tree is not clean: commit what it holds, or put it away.\n${changed}`]),
    ...(tag === '' ? [] : [`The tag ${tag} exists already.`]),
    ...versionRefusals(version, verdict),
    ...changelogRefusals(changelogFile, changelog),
    ...(verdict.kind === 'none' ? [] : changelogRefusals(contractChangelogFile, contractChangelog)),
  ];
}

function versionRefusals(version: string, { released, version: announced, kind, lowestVersion }: Verdict): string[] {
  if (released !== undefined && semver.lte(version, released))
    return [`${version} is not higher than ${released}, which is released already.`];
  if (released !== undefined && semver.lt(version, lowestVersion)) {
    const what = kind === 'breaking' ? 'break clients' : 'add to the contract';
    const needed = `it must be ${lowestVersion} or higher. See npm run diff:contract.`;
    return [`${version} is too low for changes that ${what}: ${needed}`];
  }
  return semver.lt(version, announced) ? [`${contractFile} says ${announced} already.`] : [];
}

function changelogRefusals(file: string, changelog: string): string[] {
  return hasUnreleased(changelog) ? [] : [`${file} lists nothing under "## Unreleased": tell there what users get.`];
}
