import { CommanderError } from 'commander';
import type { CliContext } from '../src/cli/context.ts';
import { print, printable } from '../src/cli/output.ts';
import { createHttpClient, NoAnswerError } from './run/http-client.ts';
import { maskOf } from './run/mask.ts';
import type { Target } from './run/model.ts';
import { reachTarget } from './run/reach-target.ts';
import { contractCommand, type ContractOptions, optionsOf } from './options.ts';
import { prepareReports, writeReports } from './report/files.ts';
import { liveCount } from './report/live.ts';
import { summaryOf } from './report/summary.ts';
import { runContract } from './run/run.ts';
import { openRemoteTarget } from './target/remote-target.ts';
import { UsageError } from './run/usage-error.ts';

export const exitCodes = { held: 0, broken: 1, misused: 2, unreachable: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The world outside the command. */
export interface CommandContext extends Pick<CliContext, 'stdout' | 'stderr' | 'environment'> {
  /** Interrupts a run: nothing more is checked, the setting is put back, and what has run is reported. */
  readonly signal: AbortSignal;
}

/** The target's address does not answer. */
class UnreachableError extends Error {}

/** Runs one command line, as in `process.argv`, to its exit code. It never rejects: failures are told on stderr. */
export async function runCommand(argv: string[], context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr } = context;
  // A closed pipe is reported by the write itself; without a listener its event would end the process.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  const command = contractCommand()
    .exitOverride()
    .showHelpAfterError('Run it with --help to see how it is used.')
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  try {
    const options = optionsOf(command.parse(argv));
    await prepareReports(options.files);
    return await withTarget(options, (target) => check(target, options, context));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.held : exitCodes.misused;
    await print(stderr, `error: ${printable(messageOf(error))}\n`).catch(() => undefined);
    if (error instanceof UsageError) return exitCodes.misused;
    return error instanceof UnreachableError ? exitCodes.unreachable : exitCodes.broken;
  }
}

async function withTarget({ remote }: ContractOptions, work: (target: Target) => Promise<ExitCode>): Promise<ExitCode> {
  const target = remote
    ? await openRemoteTarget(remote)
    : await (await import('../scripts/own-target.ts')).startOwnTarget();
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

async function check(
  target: Target,
  options: ContractOptions,
  { stdout, stderr, environment, signal }: CommandContext,
): Promise<ExitCode> {
  const live = liveCount(stderr);
  for (const notice of await reach(target, options)) live.onNotice(notice);
  await print(stdout, `Holding ${target.credentials.base_url} against the contract, seed ${options.seed}\n\n`);
  const report = await runContract(target, { ...options, signal }, live).finally(() => {
    live.end();
  });
  const coloured = stdout.isTTY === true && !environment['NO_COLOR'];
  await print(stdout, summaryOf(report, { coloured }));
  await writeReports(report, options.files);
  return report.held ? exitCodes.held : exitCodes.broken;
}

async function reach({ credentials }: Target, { timeoutSeconds }: ContractOptions): Promise<string[]> {
  const client = createHttpClient(timeoutSeconds);
  try {
    return await reachTarget(credentials, client);
  } catch (error) {
    // An answer that has begun shows that somebody is there; what is wrong with it is for the checks to say.
    if (error instanceof NoAnswerError && error.begun) return [];
    throw new UnreachableError(`the target cannot be reached: ${maskOf(credentials).mask(messageOf(error))}`);
  } finally {
    client.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
