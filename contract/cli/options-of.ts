import type { Command } from 'commander';
import { randomInt } from 'node:crypto';
import { type ReportFiles, reportForms } from '../report/files.ts';
import type { Source } from '../run/model.ts';
import type { Selection } from '../run/selection.ts';
import { UsageError } from '../run/errors.ts';
import type { RemoteOptions } from '../target/remote-target.ts';
import { largestSeed } from './check-options.ts';
import type { ConfiguredChecks } from './configuration.ts';

/** The parsed options. */
export interface ContractOptions {
  /** Absent when checking the project's own server. */
  readonly remote?: RemoteOptions;
  /** Whose promises to check; all if absent. */
  readonly promises?: readonly Source[];
  readonly requireAll: boolean;
  readonly allowExtraFields: boolean;
  readonly dredd: boolean;
  /** Whether several times as many requests are sent. */
  readonly thorough: boolean;
  readonly seed: number;
  /** How long the target may take to start responding. */
  readonly waitSeconds: number;
  readonly timeoutSeconds: number;
  readonly runTimeoutSeconds: number;
  /** How many read-only checks may run concurrently. */
  readonly workers: number;
  /** The document to check against; absent for the project's own. */
  readonly openapi?: string;
  /** Credentials and values for the document of another API. */
  readonly configured?: ConfiguredChecks;
  readonly selection: Selection;
  /** Print the selected checks without running them. */
  readonly list: boolean;
  readonly baseline?: { readonly file: string; readonly write: boolean };
  readonly files: ReportFiles;
}

type Given = Pick<
  ContractOptions,
  'requireAll' | 'allowExtraFields' | 'dredd' | 'thorough' | 'timeoutSeconds' | 'runTimeoutSeconds' | 'workers'
> &
  Partial<Selection> &
  ReportFiles & {
    readonly url?: string;
    readonly caseUrl?: string;
    readonly credentials?: string;
    readonly openapi?: string;
    readonly configured?: ConfiguredChecks;
    readonly operator?: string;
    readonly start?: string;
    readonly promises?: readonly Source[];
    readonly list?: true;
    readonly baseline?: string;
    readonly writeBaseline?: true;
    readonly provoke429?: boolean;
    readonly seed?: number;
    readonly wait?: number;
    readonly header?: readonly string[];
    readonly ca?: string;
    readonly insecure: boolean;
  };

/** @throws {UsageError} if options contradict each other */
export function optionsOf(command: Command): ContractOptions {
  const given = command.opts<Given>();
  const { requireAll, allowExtraFields, dredd, thorough, timeoutSeconds, runTimeoutSeconds, workers } = given;
  const { openapi, configured, baseline } = given;
  if (configured && openapi === undefined)
    configured.fail([], 'needs openapi for its security and values, which apply to the document of another API');
  const remote = remoteOf(given);
  if (given.writeBaseline && baseline === undefined)
    throw new UsageError('--write-baseline needs --baseline, which names the file');
  const files = Object.entries(given).filter(([name]) => name in reportForms);
  return {
    ...(remote && { remote }),
    ...(given.promises && { promises: given.promises }),
    // The project's own server has everything that a check can need.
    requireAll: requireAll || remote === undefined,
    allowExtraFields,
    dredd,
    thorough,
    seed: given.seed ?? randomInt(largestSeed),
    waitSeconds: given.wait ?? 0,
    timeoutSeconds,
    runTimeoutSeconds,
    workers,
    ...(openapi !== undefined && { openapi }),
    ...(configured && { configured }),
    selection: { only: given.only ?? [], skip: given.skip ?? [] },
    list: given.list ?? false,
    ...(baseline !== undefined && { baseline: { file: baseline, write: given.writeBaseline ?? false } }),
    files: Object.fromEntries(files) as ReportFiles,
  };
}

function remoteOf(given: Given): RemoteOptions | undefined {
  const { url, caseUrl, credentials, operator, openapi, start, provoke429, header = [], ca, insecure, list } = given;
  if (list === true) return undefined;
  if (url === undefined) {
    if ((caseUrl ?? credentials ?? operator ?? start) !== undefined)
      throw new UsageError(
        '--credentials, --case-url, --operator and --start need --url, because the own server has all of them',
      );
    return undefined;
  }
  // For another API, the configuration provides the credentials, if any are needed.
  if ((credentials ?? operator ?? openapi) === undefined)
    throw new UsageError(
      '--url needs --credentials, a file in the form that `document-analysis demo --json` prints, or an --operator that knows them',
    );
  const reached = { url, caseUrl, headers: header, ca, insecure };
  return { ...reached, credentialsFile: credentials, operator, start, provoke429: provoke429 ?? false };
}
