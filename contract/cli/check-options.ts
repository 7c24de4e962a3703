import { Command } from 'commander';
import { randomInt } from 'node:crypto';
import { duration, wholeNumber } from './arguments.ts';
import type { ReportFiles } from '../report/files.ts';
import type { RemoteOptions } from '../target/remote-target.ts';
import { UsageError } from '../run/usage-error.ts';

const largestSeed = 2 ** 31 - 1;

const closingHelp = (name: string, startsServer: boolean): string => `
${startsServer ? "Without --url the project's own server is started and checked.\n\n" : ''}Examples:
${startsServer ? `  $ ${name.replace(/ --$/, '')}\n` : ''}  $ ${name} --url https://api.example.com --credentials credentials.json --junit contract.xml
  $ ${name} ${startsServer ? '' : '--url https://api.example.com --credentials credentials.json '}--seed 42 --html contract.html

Exit codes:
  0  everything that must run has run, and the server conforms
  1  a promise is broken, a check that must run was not run, or no check has passed
  2  wrong usage: the options, the credentials file, or a report that cannot be written
  3  the target cannot be reached: nothing at its address responds as HTTP`;

/** What was asked for. */
export interface ContractOptions {
  /** Absent if the project's own server is meant. */
  readonly remote?: RemoteOptions;
  readonly requireAll: boolean;
  readonly allowExtraFields: boolean;
  readonly seed: number;
  readonly timeoutSeconds: number;
  readonly runTimeoutSeconds: number;
  /** The document to check against, if it is not the project's own. */
  readonly openapi?: string;
  readonly files: ReportFiles;
}

type Given = Omit<ContractOptions, 'remote' | 'files' | 'seed'> &
  ReportFiles & { seed?: number; url?: string; caseUrl?: string; credentials?: string; provoke429?: boolean };

/** The command line, without what it does. */
export function checkOptions(name: string, startsServer: boolean): Command {
  return new Command(name)
    .helpOption('--help', 'show this help')
    .description('Check a server against the whole contract: the replay, the rules and the generated checks.')
    .option('--url <url>', 'base address of the server to check; needs --credentials')
    .option('--case-url <url>', 'base address of the case operations, if it is another')
    .option('--credentials <file>', 'credentials and identifiers, in the form that `demo --json` prints')
    .option('--require-all', 'fail if a check is not run (always so for the own server)', false)
    .option('--provoke-429', 'use up a rate limit on purpose (always so for the own server)')
    .option('--allow-extra-fields', 'accept fields and error codes that the document does not know', false)
    .option('--seed <number>', 'repeat the random choices of an earlier run', wholeNumber(0, largestSeed))
    .option('--timeout-seconds <seconds>', 'how long one response may take', duration, 10)
    .option('--run-timeout-seconds <seconds>', 'how long the whole run may take', duration, 900)
    .option('--openapi <file>', "check against this document (OpenAPI 3.0 or 3.1) in place of the project's own")
    .option('--junit <file>', 'write a report as JUnit XML')
    .option('--json <file>', 'write a report as JSON')
    .option('--html <file>', 'write a report as one HTML page')
    .addHelpText('after', closingHelp(name === 'check' ? 'document-analysis-contract check' : name, startsServer));
}

/** @throws {UsageError} if options do not go together */
export function optionsOf(command: Command): ContractOptions {
  const { url, caseUrl, credentials, provoke429, junit, json, html, seed, ...others } = command.opts<Given>();
  if (url === undefined && (caseUrl ?? credentials) !== undefined)
    throw new UsageError('--credentials and --case-url need --url: the own server brings its credentials with it');
  if (url !== undefined && credentials === undefined)
    throw new UsageError('--url needs --credentials, a file in the form that `document-analysis demo --json` prints');
  const remote =
    url !== undefined && credentials !== undefined
      ? { url, caseUrl, credentialsFile: credentials, provoke429: provoke429 ?? false }
      : undefined;
  return {
    ...others,
    ...(remote && { remote }),
    // The own server has all that a check can need.
    requireAll: others.requireAll || remote === undefined,
    seed: seed ?? randomInt(largestSeed),
    files: { ...(junit && { junit }), ...(json && { json }), ...(html && { html }) },
  };
}
