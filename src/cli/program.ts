import { Command, CommanderError } from 'commander';
import { regions } from '../domain/region.ts';
import { openApiDocument } from '../api/document.ts';
import { loadCommands } from './commands.ts';
import type { CliContext } from './context.ts';
import { describeFailure, exitCodes, type ExitCode } from './errors.ts';
import { printable } from './output.ts';

const closingHelp = `
Examples:
  $ document-analysis organisation create "Acme Ltd" --feature verification
  $ document-analysis demo --json

Exit codes:
  0  done
  1  refused or failed
  2  wrong usage or configuration`;

/** The command line, with all commands that one in the form of `process.argv` may call. */
export async function createProgram(context: CliContext, argv: readonly string[] = []): Promise<Command> {
  const program = new Command('document-analysis')
    .description(
      'Operate the Document Analysis API: its organisations, credentials, roles, cases, files, analyses and audit log.',
    )
    .version(openApiDocument.info.version)
    .option('--region <region>', `the region whose data is meant: ${regions.join(' or ')} (REGION, uk)`)
    .option('--data-dir <directory>', 'where the data is kept (DATA_DIR, data)')
    .addHelpText('after', closingHelp);
  for (const create of await loadCommands(argv.slice(2))) program.addCommand(create(context));
  attach(program, context);
  return program;
}

/** Runs one command line, as in `process.argv`, to its exit code. It never rejects: failures are told on stderr. */
export async function runCli(argv: string[], context: CliContext): Promise<ExitCode> {
  // A closed pipe is reported by the write itself; without a listener its event would end the process.
  for (const output of [context.stdout, context.stderr]) output.on('error', () => undefined);
  try {
    await (await createProgram(context, argv)).parseAsync(argv);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    const { exitCode, text } = describeFailure(error, context.environment);
    const { tellFailure } = await import('../runtime/workers/tell-failure.ts');
    if (!(await tellFailure(text))) context.stderr.write(text);
    return exitCode;
  }
}

/** Binds a command and those below it to the context's streams, and has them throw where they would end the process. */
function attach(command: Command, context: CliContext): void {
  command
    .exitOverride()
    .showHelpAfterError('Run it with --help to see how it is used.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text.split('\n').map(printable).join('\n')),
    });
  for (const subcommand of command.commands) attach(subcommand, context);
}
