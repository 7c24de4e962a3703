import { Command, InvalidArgumentError } from 'commander';
import { type ExitCode, exitCodes } from '../../src/cli/errors.ts';
import { print } from '../../src/cli/output.ts';
import { refusals, refuseUnproven } from './refusals.ts';
import { runIn } from './run.ts';
import { runScript, type ScriptContext } from '../script.ts';
import { type Release, type Step, stepsOf, takeBack } from './steps.ts';
import { isReleaseVersion } from './versions.ts';

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
    const { root, stdout, stderr, now, signal } = context;
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
    await takeAll(steps, release, signal, ({ title }) => print(stdout, `${title}\n`));
    await print(stdout, nextSteps(release.version));
    return exitCodes.done;
  });
}

async function takeAll(
  steps: Step[],
  release: Release,
  signal: AbortSignal,
  report: (step: Step) => Promise<void>,
): Promise<void> {
  const commit = await release.run('git', 'rev-parse', 'HEAD');
  try {
    for (const step of steps) {
      signal.throwIfAborted();
      await report(step);
      await step.take();
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
