import { type MakeCommand, runCommand } from './run-command.ts';

/** A terminal and npm both pass a signal on, so that the same one may come twice. */
const sameSignalSeconds = 1;

/** Runs the command of this process, and ends it. The first SIGINT or SIGTERM interrupts the command, the second ends it. */
export async function runProcess(make: MakeCommand): Promise<never> {
  const interruption = new AbortController();
  let interruptedAt = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (!interruption.signal.aborted) {
        interruptedAt = performance.now();
        interruption.abort(new Error(`the run was interrupted by ${name}`));
      } else if (performance.now() - interruptedAt > sameSignalSeconds * 1000) process.exit(1);
    });
  const { stdout, stderr, env } = process;
  const context = { stdout, stderr, environment: env, signal: interruption.signal };
  // A check that was cut short may still hold the process.
  process.exit(await runCommand(make, process.argv, context));
}
