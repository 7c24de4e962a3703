import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { credentialHeaders } from '../oracle/request.ts';
import {
  type ReportFiles,
  prepareReports,
  reportForms,
  reportToGitHub,
  withoutCommands,
  writeReports,
} from '../report/files.ts';
import { liveCount } from '../report/live.ts';
import { summaryOf } from '../report/summary.ts';
import { createHttpClient } from '../run/http-client.ts';
import { maskOf } from '../run/mask.ts';
import { type Report, type Target, sources } from '../run/model.ts';
import { NoResponseError, UnusableTargetError, UsageError } from '../run/errors.ts';
import { type Pacing, pacingOf } from '../run/limits.ts';
import { preflight, reachTarget } from '../run/reach-target.ts';
import { type RunOptions, allChecks, reportOf, runContract } from '../run/run.ts';
import { type Selection, isSelected, readKnownFailures, requireMatches } from '../run/selection.ts';
import { type RemoteOptions, openRemoteTarget } from '../target/remote-target.ts';
import {
  type ConfiguredChecks,
  applyConfiguration,
  configurableOptions,
  configurationFile,
  withGivenCredentials,
  withGivenValues,
} from './configuration.ts';
import { documentToCheck, largestSeed } from './options.ts';
import { count, exitCodes, print, printable } from './run-command.ts';
import type { CommandContext, ExitCode, MakeCommand } from './run-command.ts';

/** Starts the target to check if --url is absent. */
export type StartTarget = () => Promise<Target>;

/** The command that checks a server. @param startTarget if absent, --url is required */
export function checkCommand(name: string, startTarget?: StartTarget): MakeCommand {
  return (context, end) => {
    const command = checkOptions(name, startTarget !== undefined);
    return command.action(async () => {
      await applyConfiguration(command);
      end(await runCheck(optionsOf(command), startTarget, context));
    });
  };
}

const closingHelp = (name: string, startsServer: boolean): string => `
${startsServer ? "Without --url the project's own server is started and checked.\n\n" : ''}Examples:
${startsServer ? `  $ ${name.replace(/ --$/, '')}\n` : ''}  $ ${name} --url https://api.example.com --credentials credentials.json --junit contract.xml
  $ ${name} ${startsServer ? '' : '--url https://api.example.com --credentials credentials.json '}--seed 42 --html contract.html
  $ ${name} --list --only 'replay.*' --skip getCase

Exit codes:
  0  every check that ran has passed, known failures apart, and every required check has run
  1  a check has failed, a required check was not run, or no check has passed
  2  wrong usage: the options, a file that they name, or a report that cannot be written
  3  the target cannot be reached or started, is not this API or refuses the credentials, or its operator
     fails before the run`;

/** The command's options: those of the configuration file, and what is for a run alone. */
export function checkOptions(name: string, startsServer: boolean): Command {
  const command = new Command(name)
    .description(
      'Check a server against the whole contract: each promise, asked for in every way that must change nothing.',
    )
    .option('--config <file>', `read options from this file (default: ${configurationFile}, if it exists)`)
    .option('--list', 'print the selected checks without running them')
    .option('--write-baseline', 'write the failures of this run to the file of --baseline')
    .addHelpText('after', closingHelp(name === 'check' ? 'document-analysis-contract check' : name, startsServer));
  for (const option of configurableOptions()) command.addOption(option);
  return command;
}

interface Given
  extends
    Omit<RunOptions, 'document' | 'checks' | 'promises' | 'seed'>,
    Partial<Pick<RunOptions, 'promises' | 'seed'> & Selection & RemoteOptions>,
    ReportFiles {
  readonly openapi?: string;
  /** Credentials and values for the document of another API. */
  readonly configured?: ConfiguredChecks;
  readonly list?: true;
  readonly thorough: boolean;
  readonly baseline?: string;
  readonly writeBaseline?: true;
  readonly wait?: number;
  readonly requestsPerSecond?: number;
}

/** The options of a run, which follow from those that are given; `remote` is absent for the project's own server. */
export type CheckOptions = ReturnType<typeof optionsOf>;

/** @throws {UsageError} if options contradict each other */
export function optionsOf(command: Command) {
  const given = command.opts<Given>();
  const { configured, openapi, baseline, writeBaseline, promises = sources } = given;
  if (configured && openapi === undefined)
    configured.fail([], 'needs openapi for its security and values, which apply to the document of another API');
  const remote = remoteOf(given);
  if (writeBaseline && baseline === undefined)
    throw new UsageError('--write-baseline needs --baseline, which names the file');
  return {
    ...given,
    ...(remote && { remote }),
    // The project's own server has everything that a check can need.
    requireAll: given.requireAll || remote === undefined,
    seed: given.seed ?? randomInt(largestSeed),
    selection: { only: given.only ?? [], skip: given.skip ?? [] },
    promises: sources.filter((source) => promises.includes(source)),
    files: Object.fromEntries(Object.entries(given).filter(([name]) => name in reportForms)) as ReportFiles,
  };
}

function remoteOf(given: Given): RemoteOptions | undefined {
  const { url, caseUrl, credentials, operator, openapi, start, list } = given;
  if (list === true) return undefined;
  if (url === undefined && (caseUrl ?? credentials ?? operator ?? start) !== undefined)
    throw new UsageError(
      '--credentials, --case-url, --operator and --start need --url, because the own server has all of them',
    );
  if (url === undefined) return undefined;
  // For another API, the configuration provides the credentials, if any are needed.
  if ((credentials ?? operator ?? openapi) === undefined)
    throw new UsageError(
      '--url needs --credentials, a file in the form that `document-analysis demo --json` prints, or an --operator that knows them',
    );
  return { ...given, url };
}

async function runCheck(
  given: CheckOptions,
  startTarget: StartTarget | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { openapi, configured, selection, remote, baseline, writeBaseline = false, files } = given;
  const { stdout, stderr, environment } = context;
  const written = await documentToCheck(openapi, stderr);
  const document = configured ? withGivenValues(written, configured) : written;
  const checks = allChecks(document, given.seed, given.thorough);
  requireMatches(selection, checks);
  if (given.list) {
    const chosen = checks.filter((check) => isSelected(selection, check));
    await print(stdout, chosen.map(({ id, title }) => printable(`${id}  ${title}`)).join('\n') + '\n');
    return exitCodes.done;
  }
  const knownFailures = baseline === undefined ? undefined : await readKnownFailures(baseline, writeBaseline);
  const open = remote ? () => openRemoteTarget(remote, credentialHeaders(document)) : startTarget;
  if (!open)
    throw new UsageError(
      openapi === undefined
        ? '--url and --credentials are required: they name the server to check'
        : '--url is required: it names the server to check',
    );
  await prepareReports(files);
  const publish = async (report: Report) => {
    await writeReports(report, files);
    await reportToGitHub(report, stdout, environment);
  };
  const documentFile = openapi === undefined ? {} : { documentFile: openapi };
  const options = { ...given, ...documentFile, ...(knownFailures && { knownFailures }), document, checks };
  let opened: Target | undefined;
  try {
    opened = await open();
    const target = withGivenCredentials(opened, document, configured, environment);
    const report = await checkTarget(target, options, context);
    await publish(report);
    if (writeBaseline && knownFailures) {
      const failures = count(await knownFailures.write(report.results), 'known failure');
      await print(stdout, `${failures} written to ${baseline ?? ''}\n\n`);
    }
    const coloured = stdout.isTTY === true && !environment['NO_COLOR'];
    await print(stdout, withoutCommands(summaryOf(report, { coloured }), environment));
    return report.conforms || writeBaseline ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (error instanceof UnusableTargetError && remote)
      await publish(reportOf(remote.url, options, { results: [], rules: [], problems: [error.message] }));
    throw error;
  } finally {
    await opened?.close();
  }
}

type Plan = CheckOptions & RunOptions;

async function checkTarget(target: Target, options: Plan, { stdout, stderr, signal }: CommandContext): Promise<Report> {
  const { base_url: address } = target.credentials;
  const live = liveCount(stderr, new Map(options.checks.map(({ id, title }) => [id, title])));
  const pacing = pacingOf(target.credentials, live, options.requestsPerSecond);
  for (const notice of await reach(target, { ...options, signal }, pacing)) live.onNotice(notice);
  await print(stdout, `Checking ${address} against the contract, seed ${options.seed}\n\n`);
  try {
    return await runContract(target, { ...options, pacing, signal }, live);
  } finally {
    live.end();
  }
}

/** Waits until the target responds, and makes sure that it is this API and accepts the credentials. Resolves to notices. */
async function reach(
  target: Target,
  { checks, document, wait = 0, timeoutSeconds, seed, allowExtraFields, selection, promises: chosen, signal }: Plan,
  pacing: Pacing,
): Promise<string[]> {
  const { credentials } = target;
  const client = createHttpClient(timeoutSeconds, undefined, credentials.connection);
  try {
    const notices = await reachTarget(credentials, client, document, wait, signal);
    const ofRun = checks.filter((check) => chosen.includes(check.source) && isSelected(selection, check));
    await preflight({ target, client, pacing, seed, allowExtraFields, document }, ofRun);
    return notices;
  } catch (error) {
    const isSilent = error instanceof NoResponseError;
    // A response that has begun shows that the target is reachable; the checks report what is wrong with it.
    if (isSilent && error.begun) return [];
    if (!isSilent && !(error instanceof UnusableTargetError)) throw error;
    const message = maskOf(credentials).mask(error.message);
    throw new UnusableTargetError(isSilent ? `the target cannot be reached: ${message}` : message);
  } finally {
    client.close();
  }
}
