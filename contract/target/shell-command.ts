import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A command line that runs in a shell, in a process group of its own, which ends with this process. */
export class ShellCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown>;
  readonly #killGroup = (): void => {
    this.#signal('SIGKILL');
  };

  constructor(command: string) {
    this.child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#closed = once(this.child, 'close');
    // A command that reads nothing may close its input.
    this.child.stdin.on('error', () => undefined);
    process.once('exit', this.#killGroup);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Closes its input, sends it the signal, and kills the group if it is still running after `graceSeconds`. */
  async end(signal: NodeJS.Signals | undefined, graceSeconds: number): Promise<void> {
    this.child.stdin.end();
    if (signal) this.#signal(signal);
    const late = setTimeout(this.#killGroup, graceSeconds * 1000);
    await this.#closed;
    clearTimeout(late);
    process.off('exit', this.#killGroup);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
    } catch {
      // The group has ended.
    }
  }
}
