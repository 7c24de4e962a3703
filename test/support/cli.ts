import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { beforeEach, expect } from '@jest/globals';
import { runCli } from '../../src/cli/program.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { Sink } from './sink.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export interface CliOutcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  stdin?: string | Buffer[];
  environment?: NodeJS.ProcessEnv;
  now?: Date;
  /** Whether somebody watches stderr in a terminal. */
  terminal?: boolean;
  /** What stdout does with what is written to it, in place of keeping it. */
  stdout?: Writable;
}

/** Runs the command line in this process. */
export async function runInProcess(words: readonly string[], options: CliOptions = {}): Promise<CliOutcome> {
  const [stdout, stderr] = [new Sink(), new Sink(options.terminal)];
  const exitCode = await runCli(['node', 'document-analysis', ...words], {
    environment: options.environment ?? {},
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin].flat()),
    stdout: options.stdout ?? stdout,
    stderr,
    now: () => options.now ?? new Date(),
    kill: () => undefined,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The command line, run in this process on a data directory of its own, which has an empty database. */
export class CliHarness {
  #folder!: TemporaryFolder;

  private constructor() {}

  static async start(): Promise<CliHarness> {
    const harness = new CliHarness();
    await harness.#begin();
    return harness;
  }

  /** One for the tests of a file, each of which begins with an empty database. */
  static forEachTest(): CliHarness {
    const harness = new CliHarness();
    beforeEach(() => harness.#begin());
    return harness;
  }

  async #begin(): Promise<void> {
    this.#folder = await TemporaryFolder.make();
    await this.withStore(() => Promise.resolve());
  }

  get folder(): string {
    return this.#folder.path;
  }

  get databasePath(): string {
    return join(this.folder, 'data', 'document-analysis-uk.sqlite');
  }

  /** @param commandLine a text is split at its spaces */
  run(commandLine: string | string[], options: CliOptions = {}): Promise<CliOutcome> {
    const words = typeof commandLine === 'string' ? commandLine.split(' ') : commandLine;
    const environment = { DATA_DIR: join(this.folder, 'data'), ...options.environment };
    return runInProcess(words, { now: new Date('2026-03-02T12:00:00.000Z'), ...options, environment });
  }

  /** Runs a command that must succeed without a warning, and gives what it prints. */
  async text(commandLine: string | string[], options?: CliOptions): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(commandLine, options);
    if (exitCode !== 0 || stderr !== '') throw new Error(`exit code ${exitCode}: ${stderr}`);
    return stdout;
  }

  async json<T>(commandLine: string | string[], options?: CliOptions): Promise<T> {
    const words = typeof commandLine === 'string' ? `${commandLine} --json` : [...commandLine, '--json'];
    return JSON.parse(await this.text(words, options)) as T;
  }

  /** Runs a command that must print nothing and end with this exit code, and gives what it says of that. */
  async fails(exitCode: 1 | 2, commandLine: string | string[], options?: CliOptions): Promise<string> {
    const outcome = await this.run(commandLine, options);
    expect(outcome).toMatchObject({ exitCode, stdout: '' });
    return outcome.stderr;
  }

  async addOrganisation(name = 'Acme Ltd'): Promise<string> {
    const created = await this.json<{ organisation_id: string }>(['organisation', 'create', name]);
    return created.organisation_id;
  }

  async withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = openSqliteStore(this.databasePath);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  write(name: string, content: string | Buffer): Promise<string> {
    return this.#folder.write(name, content);
  }
}
