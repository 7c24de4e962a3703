import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCommand } from '../../contract/cli/check.ts';
import { runCommand } from '../../contract/cli/run-command.ts';
import type { Credentials } from '../../contract/run/model.ts';
import { Sink } from './sink.ts';

/** Credentials that no server knows. */
export const credentials = {
  owner_key: 'dak_uk_f6b1c09a7c61Zb90Qw',
  member_key: 'dak_uk_0b7b5f1b2a51Ay77Rt',
  access_token: 'dat_uk_3c1d55a2e9f4Xc66Uv',
  case_id: '7f000000-0000-4000-8000-000000000001',
};

/** The last line that a run prints. */
export const lastLine = /\n(\d+) passed, (\d+) failed, (\d+) skipped\n$/;

/** What a run of the suite has said. */
export interface ContractOutcome {
  readonly exitCode: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** The suite as a process of its own, with a folder for what it reads and writes. */
export class ContractRun {
  readonly folder: string;
  child: ChildProcess | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async in<Result>(work: (run: ContractRun) => Promise<Result>): Promise<Result> {
    const folder = await mkdtemp(join(tmpdir(), 'document-analysis-contract-test-'));
    try {
      return await work(new ContractRun(folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** Runs the suite against a server, which it may ask for a few seconds. */
  async against(url: string, args: string[] = [], credentials: Partial<Credentials> = {}): Promise<ContractOutcome> {
    return this.run([...(await this.target(url, credentials)), ...args]);
  }

  /** The options for a run against a server: each response may take as long as on a loaded machine, the run a few seconds. */
  async target(url: string, credentials: Partial<Credentials> = {}): Promise<string[]> {
    const file = this.file('credentials.json');
    await writeFile(file, JSON.stringify(credentials));
    return ['--url', url, '--credentials', file, '--timeout-seconds', '30', '--run-timeout-seconds', '5'];
  }

  /** Runs the suite in this process, which is quicker. */
  async inProcess(args: string[], options: { terminal?: boolean; environment?: NodeJS.ProcessEnv } = {}) {
    const [stdout, stderr] = [new Sink(options.terminal), new Sink(options.terminal)];
    const context = { stdout, stderr, environment: options.environment ?? {}, signal: new AbortController().signal };
    const exitCode = await runCommand(
      checkCommand('npm run contract --', () => Promise.reject(new Error('no own server here'))),
      ['node', 'contract', ...args],
      context,
    );
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
  }

  async run(args: string[]): Promise<ContractOutcome> {
    const command = ['--no-warnings', 'scripts/contract.ts', ...args];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { exitCode: code ?? signal ?? '', stdout, stderr };
  }
}
