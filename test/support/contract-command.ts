import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from '../../contract/cli/program.ts';
import { runCommand } from '../../contract/cli/run-command.ts';
import type { CliOutcome } from './cli.ts';
import { Sink } from './sink.ts';

/** The command line of the contract package, run in this process until `interrupt` is called, if not to its end. */
export class ContractCommand {
  readonly ended: Promise<CliOutcome>;
  readonly #interruption = new AbortController();
  #stdout = '';

  constructor(commandLine: string[], environment: NodeJS.ProcessEnv = {}) {
    const [stdout, stderr] = [new PassThrough(), new Sink()];
    stdout.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    const context = { stdout, stderr, environment, signal: this.#interruption.signal };
    this.ended = runCommand(program, ['node', 'document-analysis-contract', ...commandLine], context).then(
      (exitCode) => ({ exitCode, stdout: this.#stdout, stderr: stderr.text }),
    );
  }

  /** Waits until a text is printed, and gives everything printed so far. */
  async printed(text: string): Promise<string> {
    while (!this.#stdout.includes(text)) await sleep(10);
    return this.#stdout;
  }

  /** What SIGINT and SIGTERM do to the process of the command. */
  interrupt(): Promise<CliOutcome> {
    this.#interruption.abort();
    return this.ended;
  }
}
