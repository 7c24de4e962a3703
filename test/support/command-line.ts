/** What the programs that measure this one share: how their command line ends, and how they are ended early. */
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { exitCodes } from '../../src/cli/errors.ts';

/** Runs the command line of this process. Failures are told on stderr, and the exit code says what they were. */
export async function runCommandLine(program: Command): Promise<void> {
  await program
    .exitOverride()
    .parseAsync()
    .catch((error: unknown) => {
      const usage = error instanceof CommanderError;
      if (!usage) console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = !usage ? exitCodes.failed : error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    });
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

const leastMinutes = 0.05;

/** Parses how long a program is to run. */
export function minutesUpTo(longest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value >= leastMinutes && value <= longest) return value;
    throw new InvalidArgumentError(`It must be a number from ${leastMinutes} to ${longest}.`);
  };
}
