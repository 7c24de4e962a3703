import { Command, CommanderError, Option } from 'commander';
import { forRegion, regions } from '../domain/region.ts';
import { version } from '../../generated/operations.ts';
import { commandNames, hiddenCommands, loadCommands } from './commands.ts';
import type { CliContext } from './context.ts';
import { describeFailure, type ExitCode, exitCodes, printable } from './errors.ts';
import { globalOptionsOf } from './arguments.ts';

const closingHelp = `
Examples:
  $ document-analysis serve
  $ document-analysis demo
  $ document-analysis organisation create "Acme Ltd" --feature verification
  $ document-analysis help credential issue

Exit codes:
  0  done
  1  refused or failed
  2  wrong usage or configuration`;

/** Builds the command line, with all commands that `argv`, in the form of `process.argv`, may call. */
export async function createProgram(context: CliContext, argv: readonly string[] = []): Promise<Command> {
  const program = new Command('document-analysis')
    .description('Run and operate the Document Analysis API.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .addOption(Object.assign(new Option('--region <region>', 'the region (REGION, uk)'), { argChoices: [...regions] }))
    .option('--data-dir <directory>', 'the folder of the data (DATA_DIR, data)')
    .addHelpText('after', closingHelp);
  for (const create of await loadCommands(argv.slice(2))) {
    const command = create(context);
    program.addCommand(command, { hidden: hiddenCommands.includes(command.name()) });
  }
  attach(program, context);
  return program;
}

/** Runs a command line, as in `process.argv`, and returns its exit code. It never rejects; errors go to stderr. */
export async function runCli(argv: string[], context: CliContext): Promise<ExitCode> {
  // The write itself reports a closed pipe; without a listener its event would end the process.
  for (const output of [context.stdout, context.stderr]) output.on('error', () => undefined);
  let region = context.environment['REGION'];
  try {
    const program = await createProgram(context, argv);
    program.hook('preAction', () => {
      region = program.opts<{ region?: string }>().region ?? region;
    });
    await program.parseAsync(argv);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    const { exitCode, text: described } = describeFailure(error, context.environment);
    const text = forRegion(described, regions.find((name) => name === region) ?? regions[0]);
    context.stderr.write(text);
    return exitCode;
  }
}

/** Binds a command and its subcommands to the context's streams, and makes them throw instead of ending the process. */
function attach(command: Command, context: CliContext): void {
  command
    .exitOverride()
    .showHelpAfterError(hintOf(command))
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: globalOptionsOf })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(plain(text).split('\n').map(printable).join('\n')),
    });
  for (const subcommand of command.commands) attach(subcommand, context);
}

function plain(text: string): string {
  return text.replace(
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\./,
    "error: argument '$2' is invalid: '$1'.",
  );
}

function hintOf(command: Command): string {
  const names = command.parent
    ? command.commands.map((subcommand) => subcommand.name())
    : commandNames.filter((name) => !hiddenCommands.includes(name));
  const list = names.length === 0 ? '' : `Commands: ${names.join(', ')}\n`;
  return `${list}Help: ${pathOf(command)} --help`;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
