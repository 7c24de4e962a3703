import { Command, InvalidArgumentError } from 'commander';
import { type ExitCode, exitCodes } from '../src/cli/errors.ts';
import { print } from '../src/cli/output.ts';
import { runIn, type Run } from './release/run.ts';
import { runScript, type ScriptContext, runAsMain } from './script.ts';
import { generated, type Release, type Step, stepsOf, takeBack } from './release/steps.ts';
import { isReleaseVersion } from './release/released.ts';
import { contractFile, judgeContract, type Verdict } from './release/verdict.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { changelogFile, contractChangelogFile, hasUnreleased } from './release/changelog.ts';

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

/** The environment of a release. */
export interface ReleaseContext extends ScriptContext {
  readonly now: () => Date;
  /** Interrupts the release and undoes its steps. */
  readonly signal: AbortSignal;
}

/** `npm run release`: releases the contract and the packages as a version, and returns the exit code. */
export function runRelease(argv: string[], context: ReleaseContext): Promise<ExitCode> {
  const command = new Command('npm run release --')
    .description('Release the contract and the package as a version: a commit and a tag, on this machine alone.')
    .argument('<version>', 'three numbers, as in 0.0.2', parseVersion)
    .option('--dry-run', 'check everything, and print the steps without taking them')
    .addHelpText('after', closingHelp);
  return runScript(command, argv, context, async (parsed) => {
    const { root, stdout, stderr, now } = context;
    const release = { root, version: parsed.processedArgs[0] as string, date: now(), run: runIn(root) };
    const reasons = await refusals(root, release.version, release.run);
    for (const reason of reasons) await print(stderr, `error: ${reason}\n`);
    if (reasons.length > 0) return exitCodes.failed;
    await refuseUnproven(release.run);
    const steps = stepsOf(release);
    if (parsed.opts<{ dryRun?: boolean }>().dryRun === true) {
      await print(stdout, steps.map(({ title }) => `would ${title}\n`).join(''));
      return exitCodes.done;
    }
    await takeAll(steps, release, context);
    await print(stdout, nextSteps(release.version));
    return exitCodes.done;
  });
}

async function takeAll(steps: Step[], release: Release, { stdout, signal }: ReleaseContext): Promise<void> {
  const commit = await release.run('git', 'rev-parse', 'HEAD');
  try {
    for (const { title, take } of steps) {
      signal.throwIfAborted();
      await print(stdout, `${title}\n`);
      await take();
    }
  } catch (error) {
    await takeBack(release, commit);
    throw new Error(`${(error as Error).message}\nAll steps were undone; nothing has changed.`, { cause: error });
  }
}

function parseVersion(text: string): string {
  const version = text.replace(/^v/, '');
  if (!isReleaseVersion(version)) throw new InvalidArgumentError('It must be three numbers, as in 0.0.2.');
  return version;
}

function nextSteps(version: string): string {
  return `
${version} is released on this machine. To publish it, push its tag; the release workflow does the rest:
  git push --follow-tags
To take it back before it is pushed:
  git tag --delete v${version} && git reset --hard HEAD~1
`;
}

/** The reasons why a version cannot be released from the current checkout; empty if it can. */
async function refusals(root: string, version: string, run: Run): Promise<string[]> {
  const [branch, changed, tag, changelog, contractChangelog, verdict] = await Promise.all([
    run('git', 'rev-parse', '--abbrev-ref', 'HEAD'),
    run('git', 'status', '--porcelain'),
    run('git', 'tag', '--list', `v${version}`),
    readFile(join(root, changelogFile), 'utf8'),
    readFile(join(root, contractChangelogFile), 'utf8'),
    judgeContract(root),
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

/**
 * Lints the document and regenerates the files that depend on it.
 * @throws {Error} if the document has a fault, or the generated files are out of date; these are then restored
 */
export async function refuseUnproven(run: Run): Promise<void> {
  await run('npm', 'run', '--silent', 'lint:spec');
  await run('npm', 'run', '--silent', 'generate');
  const stale = await run('git', 'status', '--porcelain', '--', ...generated);
  if (stale === '') return;
  await run('git', 'restore', '--', ...generated);
  await run('git', 'clean', '-d', '--force', '--quiet', '--', ...generated);
  throw new Error(
    `What is generated does not follow from ${contractFile}: run npm run generate and commit the result.\n${stale}`,
  );
}

if (import.meta.main) {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      interruption.abort(new Error(`The release was interrupted by ${name}.`));
    });
  await runAsMain((argv, context) =>
    runRelease(argv, { ...context, now: () => new Date(), signal: interruption.signal }),
  );
}
