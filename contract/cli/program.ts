import { Command } from 'commander';
import { ownDocument } from '../document/own-document.ts';
import { checkCommand } from './check.ts';
import { mockCommand } from './mock.ts';
import { proxyCommand } from './proxy.ts';
import { type MakeCommand, runCommand } from './run-command.ts';

export const program: MakeCommand = (context, end) =>
  new Command('document-analysis-contract')
    .description('Check a server, or traffic, against an OpenAPI document; or mock one.')
    .version(ownDocument.version, '-V, --version', 'show the version')
    .addCommand(checkCommand('check')(context, end))
    .addCommand(mockCommand(context, end))
    .addCommand(proxyCommand(context, end));

/** A terminal and npm both forward a signal, so the same one may arrive twice. */
const sameSignalSeconds = 1;

/** Runs the command of this process and exits. The first SIGINT or SIGTERM interrupts it, a second ends the process. */
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
  // A check that was interrupted may keep the process running.
  process.exit(await runCommand(make, process.argv, context));
}
