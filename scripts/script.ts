import { type Command, CommanderError } from 'commander';
import { type ExitCode, exitCodes } from '../src/cli/errors.ts';
import type { CliContext } from '../src/cli/context.ts';

/** The environment of a script. */
export interface ScriptContext extends Pick<CliContext, 'stdout' | 'stderr' | 'environment'> {
  /** The checkout that the script works on. */
  readonly root: string;
}

/** Runs a script's command line, as in `process.argv`, and returns the exit code. Failures are reported on stderr. */
export async function runScript(
  command: Command,
  argv: string[],
  { stdout, stderr }: ScriptContext,
  work: (command: Command) => Promise<ExitCode>,
): Promise<ExitCode> {
  command
    .helpOption('--help', 'show this help')
    .exitOverride()
    .showHelpAfterError('For the options, add --help.')
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  try {
    return await work(command.parse(argv));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failed;
  }
}

/** Runs a script in this process and the current folder. */
export async function runAsMain(script: (argv: string[], context: ScriptContext) => Promise<ExitCode>): Promise<void> {
  const { stdout, stderr, env, argv } = process;
  process.exitCode = await script(argv, { stdout, stderr, environment: env, root: process.cwd() });
}
