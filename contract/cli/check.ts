import { createHttpClient, NoResponseError } from '../run/http-client.ts';
import { maskOf } from '../run/mask.ts';
import type { Target } from '../run/model.ts';
import { reachTarget } from '../run/reach-target.ts';
import { prepareReports, writeReports } from '../report/files.ts';
import { liveCount } from '../report/live.ts';
import { summaryOf } from '../report/summary.ts';
import { runContract } from '../run/run.ts';
import { openRemoteTarget } from '../target/remote-target.ts';
import { documentToCheck } from './document-option.ts';
import { checkOptions, type ContractOptions, optionsOf } from './check-options.ts';
import { print } from './output.ts';
import {
  type CommandContext,
  exitCodes,
  type ExitCode,
  type MakeCommand,
  messageOf,
  UnreachableError,
} from './run-command.ts';
import { UsageError } from '../run/usage-error.ts';

/** Starts a target of one's own, which is checked without --url. */
export type StartTarget = () => Promise<Target>;

/** The command that checks a server. @param startTarget without it, --url is needed */
export function checkCommand(name: string, startTarget?: StartTarget): MakeCommand {
  return (context, end) => {
    const command = checkOptions(name, startTarget !== undefined);
    return command.action(async () => {
      const options = optionsOf(command);
      await prepareReports(options.files);
      end(await withTarget(options, startTarget, (target) => check(target, options, context)));
    });
  };
}

async function withTarget(
  { remote }: ContractOptions,
  startTarget: StartTarget | undefined,
  work: (target: Target) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (!remote && !startTarget)
    throw new UsageError('--url and --credentials are needed: they say which server to check');
  const target = remote ? await openRemoteTarget(remote) : await startTarget?.();
  if (!target) return exitCodes.misused;
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
  const document = await documentToCheck(options.openapi);
  const live = liveCount(stderr);
  for (const notice of await reach(target, { ...options, document })) live.onNotice(notice);
  await print(stdout, `Checking ${target.credentials.base_url} against the contract, seed ${options.seed}\n\n`);
  const report = await runContract(target, { ...options, document, signal }, live).finally(() => {
    live.end();
  });
  const coloured = stdout.isTTY === true && !environment['NO_COLOR'];
  await print(stdout, summaryOf(report, { coloured }));
  await writeReports(report, options.files);
  return report.conforms ? exitCodes.done : exitCodes.failed;
}

async function reach(
  { credentials }: Target,
  {
    timeoutSeconds,
    document,
  }: Pick<ContractOptions, 'timeoutSeconds'> & { document: Parameters<typeof reachTarget>[2] },
): Promise<string[]> {
  const client = createHttpClient(timeoutSeconds);
  try {
    return await reachTarget(credentials, client, document);
  } catch (error) {
    // A response that has begun shows that somebody is there; what is wrong with it is for the checks to say.
    if (error instanceof NoResponseError && error.begun) return [];
    throw new UnreachableError(`the target cannot be reached: ${maskOf(credentials).mask(messageOf(error))}`);
  } finally {
    client.close();
  }
}
