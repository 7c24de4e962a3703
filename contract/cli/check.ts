import { credentialHeaders } from '../conformance/request.ts';
import type { ApiDocument } from '../document/model.ts';
import { createHttpClient, NoResponseError } from '../run/http-client.ts';
import { allChecks } from '../run/all-checks.ts';
import { KnownFailures } from '../run/known-failures.ts';
import { maskOf } from '../run/mask.ts';
import type { Check, Report, Target } from '../run/model.ts';
import { Pacing } from '../run/pacing.ts';
import { preflight, UnusableTargetError } from '../run/preflight.ts';
import { ForeignTargetError, reachTarget } from '../run/reach-target.ts';
import { prepareReports, writeReports } from '../report/files.ts';
import { reportToGitHub, withoutCommands } from '../report/github.ts';
import { liveCount } from '../report/live.ts';
import { summaryOf } from '../report/summary.ts';
import { runContract } from '../run/run.ts';
import { isSelected, requireMatches } from '../run/selection.ts';
import { openRemoteTarget } from '../target/remote-target.ts';
import { checkOptions } from './check-options.ts';
import { applyConfiguration } from './configuration.ts';
import { withGivenCredentials } from './given-credentials.ts';
import { documentToCheck } from './document-option.ts';
import { type ContractOptions, optionsOf } from './options-of.ts';
import { count, print, printable } from './output.ts';
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

/** What was asked for, and what it is checked against. */
interface Checked extends ContractOptions {
  readonly document: ApiDocument;
  readonly checks: readonly Check[];
  readonly knownFailures?: KnownFailures;
}

/** The command that checks a server. @param startTarget without it, --url is needed */
export function checkCommand(name: string, startTarget?: StartTarget): MakeCommand {
  return (context, end) => {
    const command = checkOptions(name, startTarget !== undefined);
    return command.action(async () => {
      await applyConfiguration(command);
      const options = optionsOf(command);
      const document = await documentToCheck(options.openapi, options.configured);
      const checks = allChecks(document, options.seed);
      requireMatches(options.selection, checks);
      if (options.list) {
        const chosen = checks.filter((check) => isSelected(options.selection, check));
        await print(context.stdout, chosen.map(({ id, title }) => printable(`${id}  ${title}`)).join('\n') + '\n');
        return;
      }
      const { baseline } = options;
      const knownFailures = baseline && (await KnownFailures.read(baseline.file, { writes: baseline.write }));
      const checked = { ...options, document, checks, ...(knownFailures && { knownFailures }) };
      end(
        await withTarget(checked, startTarget, (target) =>
          check(withGivenCredentials(target, document, options.configured, context.environment), checked, context),
        ),
      );
    });
  };
}

async function withTarget(
  { remote, files, document }: Checked,
  startTarget: StartTarget | undefined,
  work: (target: Target) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (!remote && !startTarget)
    throw new UsageError('--url and --credentials are needed: they say which server to check');
  await prepareReports(files);
  const target = remote ? await openRemoteTarget(remote, credentialHeaders(document)) : await startTarget?.();
  if (!target) return exitCodes.misused;
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

async function check(
  target: Target,
  options: Checked,
  { stdout, stderr, environment, signal }: CommandContext,
): Promise<ExitCode> {
  const live = liveCount(stderr);
  for (const notice of await reach(target, options, signal)) live.onNotice(notice);
  await print(stdout, `Checking ${target.credentials.base_url} against the contract, seed ${options.seed}\n\n`);
  const report = await runContract(
    target,
    { ...options, ...(options.openapi !== undefined && { documentFile: options.openapi }), signal },
    live,
  ).finally(() => {
    live.end();
  });
  const coloured = stdout.isTTY === true && !environment['NO_COLOR'];
  await writeReports(report, options.files);
  await reportToGitHub(report, stdout, environment);
  await print(stdout, await baselineWritten(report, options));
  await print(stdout, withoutCommands(summaryOf(report, { coloured }), environment));
  if (options.baseline?.write === true) return exitCodes.done;
  return report.conforms ? exitCodes.done : exitCodes.failed;
}

async function baselineWritten({ results }: Report, { baseline, knownFailures }: Checked): Promise<string> {
  if (baseline?.write !== true || !knownFailures) return '';
  return `${count(await knownFailures.write(results), 'known failure')} written to ${baseline.file}\n\n`;
}

async function reach(target: Target, options: Checked, signal: AbortSignal): Promise<string[]> {
  const { credentials } = target;
  const { timeoutSeconds, waitSeconds, document, checks } = options;
  const client = createHttpClient(timeoutSeconds, undefined, credentials.connection);
  try {
    const notices = await reachTarget(target.credentials, client, document, { waitSeconds, signal });
    const { seed, allowExtraFields, selection, promises } = options;
    const isPromised = ({ source }: Check) => promises?.includes(source) ?? true;
    const chosen = checks.filter((each) => isPromised(each) && isSelected(selection, each));
    await preflight({ target, client, pacing: new Pacing(() => undefined), seed, allowExtraFields, document }, chosen);
    return notices;
  } catch (error) {
    // A response that has begun shows that somebody is there; what is wrong with it is for the checks to say.
    if (error instanceof NoResponseError && error.begun) return [];
    if (error instanceof UnusableTargetError) throw new UnreachableError(maskOf(credentials).mask(error.message));
    if (!(error instanceof NoResponseError || error instanceof ForeignTargetError)) throw error;
    throw new UnreachableError(`the target cannot be reached: ${maskOf(credentials).mask(messageOf(error))}`);
  } finally {
    client.close();
  }
}
