import { credentialHeaders } from '../oracle/request.ts';
import type { ApiDocument } from '../document/model.ts';
import { createHttpClient } from '../run/http-client.ts';
import { NoResponseError, UsageError } from '../run/errors.ts';
import { allChecks } from '../run/all-checks.ts';
import { type AnnouncedLimits, announcedLimits } from '../run/pacing.ts';
import { KnownFailures } from '../run/known-failures.ts';
import { maskOf } from '../run/mask.ts';
import type { Check, Report, Target } from '../run/model.ts';
import { UnusableTargetError, preflight } from '../run/preflight.ts';
import { ForeignTargetError, reachTarget } from '../run/reach-target.ts';
import { folderOf, prepareReports, writeReports } from '../report/files.ts';
import { reportToGitHub, withoutCommands } from '../report/github.ts';
import { liveCount } from '../report/live.ts';
import { reportWithoutRun } from '../report/without-run.ts';
import { summaryOf } from '../report/summary.ts';
import { runContract } from '../run/run.ts';
import { isSelected, requireMatches } from '../run/selection.ts';
import { openRemoteTarget } from '../target/remote-target.ts';
import { checkOptions } from './check-options.ts';
import { applyConfiguration } from './configuration.ts';
import { withGivenCredentials } from './given-credentials.ts';
import { documentToCheck } from './document-option.ts';
import { type ContractOptions, optionsOf } from './options-of.ts';
import {
  type CommandContext,
  type ExitCode,
  type MakeCommand,
  UnreachableError,
  count,
  exitCodes,
  messageOf,
  print,
  printable,
} from './run-command.ts';

/** Starts the target to check if --url is absent. */
export type StartTarget = () => Promise<Target>;

/** The options, with the document and the checks. */
interface Checked extends ContractOptions {
  readonly document: ApiDocument;
  readonly checks: readonly Check[];
  readonly knownFailures?: KnownFailures;
}

/** The command that checks a server. @param startTarget if absent, --url is required */
export function checkCommand(name: string, startTarget?: StartTarget): MakeCommand {
  return (context, end) => {
    const command = checkOptions(name, startTarget !== undefined);
    return command.action(async () => {
      await applyConfiguration(command);
      const options = optionsOf(command);
      const document = await documentToCheck(options.openapi, context.stderr, options.configured);
      const checks = allChecks(document, options.seed, options.thorough);
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
        await withTarget(checked, startTarget, context, (target) =>
          check(withGivenCredentials(target, document, options.configured, context.environment), checked, context),
        ),
      );
    });
  };
}

async function withTarget(
  options: Checked,
  startTarget: StartTarget | undefined,
  { stdout, environment }: CommandContext,
  work: (target: Target) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { remote, files, document, openapi: documentFile } = options;
  if (!remote && !startTarget)
    throw new UsageError(
      documentFile === undefined
        ? '--url and --credentials are required: they name the server to check'
        : '--url is required: it names the server to check',
    );
  await prepareReports(files);
  try {
    const target = remote ? await openRemoteTarget(remote, credentialHeaders(document)) : await startTarget?.();
    if (!target) return exitCodes.misused;
    try {
      return await work(target);
    } finally {
      await target.close();
    }
  } catch (error) {
    if (error instanceof UnreachableError && remote) {
      const report = reportWithoutRun(error.message, { ...options, target: remote.url, documentFile });
      await writeReports(report, files);
      await reportToGitHub(report, stdout, environment);
    }
    throw error;
  }
}

async function check(
  target: Target,
  options: Checked,
  { stdout, stderr, environment, signal }: CommandContext,
): Promise<ExitCode> {
  const live = liveCount(stderr, new Map(options.checks.map(({ id, title }) => [id, title])));
  const limits = announcedLimits(target.credentials, live);
  for (const notice of await reach(target, options, limits, signal)) live.onNotice(notice);
  await print(stdout, `Checking ${target.credentials.base_url} against the contract, seed ${options.seed}\n\n`);
  const report = await runContract(
    target,
    { ...options, ...(options.openapi !== undefined && { documentFile: options.openapi }), limits, signal },
    live,
  ).finally(() => {
    live.end();
  });
  const coloured = stdout.isTTY === true && !environment['NO_COLOR'];
  await writeReports(report, options.files);
  await reportToGitHub(report, stdout, environment);
  await print(stdout, await baselineWritten(report, options));
  await print(stdout, withoutCommands(summaryOf(report, { coloured, folder: folderOf(options.files) }), environment));
  if (options.baseline?.write === true) return exitCodes.done;
  return report.conforms ? exitCodes.done : exitCodes.failed;
}

async function baselineWritten({ results }: Report, { baseline, knownFailures }: Checked): Promise<string> {
  if (baseline?.write !== true || !knownFailures) return '';
  return `${count(await knownFailures.write(results), 'known failure')} written to ${baseline.file}\n\n`;
}

async function reach(
  target: Target,
  options: Checked,
  { pacing }: AnnouncedLimits,
  signal: AbortSignal,
): Promise<string[]> {
  const { credentials } = target;
  const { timeoutSeconds, waitSeconds, document, checks } = options;
  const client = createHttpClient(timeoutSeconds, undefined, credentials.connection);
  try {
    const notices = await reachTarget(target.credentials, client, document, { waitSeconds, signal });
    const { seed, allowExtraFields, selection, promises } = options;
    const isPromised = ({ source }: Check) => promises?.includes(source) ?? true;
    const chosen = checks.filter((each) => isPromised(each) && isSelected(selection, each));
    await preflight({ target, client, pacing, seed, allowExtraFields, document }, chosen);
    return notices;
  } catch (error) {
    // A response that has begun shows that the target is reachable; the checks report what is wrong with it.
    if (error instanceof NoResponseError && error.begun) return [];
    const message = maskOf(credentials).mask(messageOf(error));
    if (error instanceof NoResponseError) throw new UnreachableError(`the target cannot be reached: ${message}`);
    if (error instanceof UnusableTargetError || error instanceof ForeignTargetError)
      throw new UnreachableError(message);
    throw error;
  } finally {
    client.close();
  }
}
