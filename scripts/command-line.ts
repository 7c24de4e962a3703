/** What the programs of this repository share beside the product's own: how their command line ends, and how they end early. */
import { type Command, type CommanderError, InvalidArgumentError } from 'commander';

/** Runs a command line. The exit code is 0, 1 if it failed, with the message on stderr, or 2 for wrong usage. */
export async function runCommandLine(program: Command): Promise<void> {
  program.exitOverride().showHelpAfterError('For the options, add --help.');
  await program.parseAsync().catch((error: unknown) => {
    // Not by its class: the program may have been made with another copy of commander.
    const { code, exitCode } = error as Partial<CommanderError>;
    if (code?.startsWith('commander.') === true) process.exitCode = exitCode === 0 ? 0 : 2;
    else fail(error instanceof Error ? error.message : String(error));
  });
}

/** Tells on stderr what is wrong, and lets this process end with the exit code 1. */
export function fail(message: string): void {
  process.stderr.write(`error: ${message}\n`);
  process.exitCode = 1;
}

/** A signal that SIGINT and SIGTERM abort: from now on they do not end this process by themselves. */
export function abortedByStopSignals(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      stop.abort(new Error(`ended early by ${name}`));
    });
  return stop.signal;
}

const minMinutes = 0.05;

/** Parses how long a program is to run. */
export function minutesUpTo(longest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value >= minMinutes && value <= longest) return value;
    throw new InvalidArgumentError(`It must be a number from ${minMinutes} to ${longest}.`);
  };
}
