import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach } from '@jest/globals';
import { checkCommand } from '../../contract/cli/check.ts';
import type { ApiDocument } from '../../contract/document/model.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { createHttpClient } from '../../contract/run/http-client.ts';
import { Pacing } from '../../contract/run/limits.ts';
import {
  type Check,
  type CheckResult,
  type Credentials,
  type Report,
  type Target,
  sources,
} from '../../contract/run/model.ts';
import { allChecks, runContract } from '../../contract/run/run.ts';
import type { SessionOptions } from '../../contract/run/session.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from '../../contract/cli/program.ts';
import { runCommand } from '../../contract/cli/run-command.ts';
import { afterwards } from './afterwards.ts';
import type { CliOutcome } from './cli.ts';
import { serveBytes, serveHttp } from './misbehaving-servers.ts';
import { startNode } from './process.ts';
import { Sink } from './sink.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export const credentials = {
  owner_key: 'dak_uk_f6b1c09a7c61Zb90Qw',
  member_key: 'dak_uk_0b7b5f1b2a51Ay77Rt',
  access_token: 'dat_uk_3c1d55a2e9f4Xc66Uv',
  case_id: '7f000000-0000-4000-8000-000000000001',
};

/** The last line that a run prints. */
export const lastLine = /\n(\d+) passed, (\d+) failed, (\d+) skipped\n$/;

/** A folder for what the suite reads and writes, servers for it to check, and ways to run it on them. */
export class ContractRun {
  #folder!: TemporaryFolder;
  child: ChildProcess | undefined;

  get folder(): string {
    return this.#folder.path;
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file into the folder, and gives its path. */
  write(name: string, text: string): Promise<string> {
    return this.#folder.write(name, text);
  }

  readonly serve = serveHttp;
  readonly serveBytes = serveBytes;

  /** The options for a run against a server: each response may take as long as on a loaded machine, the run a few seconds. */
  async target(url: string, given: Partial<Credentials> = credentials): Promise<string[]> {
    const file = await this.write('credentials.json', JSON.stringify(given));
    return ['--url', url, '--credentials', file, '--timeout-seconds', '30', '--run-timeout-seconds', '5'];
  }

  /** Runs the suite in this process, which is quicker. */
  inProcess(args: string[], options: { environment?: NodeJS.ProcessEnv } = {}): Promise<CliOutcome> {
    const check = checkCommand('npm run contract --', () => Promise.reject(new Error('no own server here')));
    return new ContractCommand(args, options.environment, check).ended;
  }

  /** Runs the suite against a server in a process of its own. */
  async against(
    url: string,
    args: string[] = [],
    given?: Partial<Credentials>,
  ): Promise<Omit<CliOutcome, 'exitCode'> & { exitCode: number | string }> {
    const command = ['--no-warnings', 'scripts/contract.ts', ...(await this.target(url, given)), ...args];
    const { child, ended, stdout, stderr } = startNode(command);
    this.child = child;
    return { exitCode: await ended, stdout: stdout(), stderr: stderr() };
  }

  async open(): Promise<void> {
    this.#folder = await TemporaryFolder.make();
  }
}

/** What the tests of a file run the suite with: each test has a folder and servers of its own. */
export function eachRun(): ContractRun {
  const run = new ContractRun();
  beforeEach(() => run.open());
  return run;
}

export function targetAt(url: string, secrets: Partial<Credentials> = {}): Target {
  const known = { base_url: url, case_base_url: url, ...secrets };
  return { credentials: known, mayExhaustLimits: false, close: () => Promise.resolve() };
}

export function optionsFor(url: string, secrets?: Partial<Credentials>) {
  const client = createHttpClient(30);
  afterwards(() => {
    client.close();
  });
  const pacing = new Pacing(() => undefined);
  const document: ApiDocument = ownDocument;
  const target = targetAt(url, secrets);
  return { document, target, client, pacing, seed: 1, allowExtraFields: false } satisfies SessionOptions;
}

type RunOptions = Parameters<typeof runContract>[1];

export function reportOn(
  target: Target,
  options: Partial<RunOptions> = {},
  onNotice: (notice: string) => void = () => undefined,
): Promise<Report> {
  const document = options.document ?? ownDocument;
  const given = { document, checks: allChecks(document, options.seed ?? 1), promises: sources, seed: 1, ...options };
  const usual = { timeoutSeconds: 10, requireAll: false, allowExtraFields: false };
  return runContract(target, { ...usual, ...given }, { onResult: () => undefined, onNotice });
}

export function idsOf({ results }: Pick<Report, 'results'>, outcome: CheckResult['outcome']): string[] {
  return results.filter((result) => result.outcome === outcome).map(({ check }) => check.id);
}

/** A check of a rule that needs nothing. */
export function checkOf(id: string, more: Partial<Check> = {}): Check {
  const nothing = { rules: [], needs: [], run: () => Promise.resolve() };
  return { id, layer: 'rules', source: 'interface', title: id, ...nothing, ...more };
}

/** The command line of the contract package, run in this process until `interrupt` is called, if not to its end. */
export class ContractCommand {
  readonly ended: Promise<CliOutcome>;
  readonly #interruption = new AbortController();
  readonly #stdout = new Sink();

  constructor(commandLine: string[], environment: NodeJS.ProcessEnv = {}, command = program) {
    const [stdout, stderr] = [this.#stdout, new Sink()];
    const context = { stdout, stderr, environment, signal: this.#interruption.signal };
    this.ended = runCommand(command, ['node', 'contract', ...commandLine], context).then((exitCode) => {
      return { exitCode, stdout: stdout.text, stderr: stderr.text };
    });
  }

  /** Waits until a text is printed, and gives everything printed so far. */
  async printed(text: string): Promise<string> {
    while (!this.#stdout.text.includes(text)) await sleep(10);
    return this.#stdout.text;
  }

  /** What SIGINT and SIGTERM do to the process of the command. */
  interrupt(): Promise<CliOutcome> {
    this.#interruption.abort();
    return this.ended;
  }
}
