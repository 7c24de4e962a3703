import { Command, CommanderError } from 'commander';
import { regions } from '../domain/region.js';
import { openApiDocument } from '../document.js';
import { analyseCommand } from './analyse.js';
import { analysisCommand } from './analysis.js';
import { auditCommand } from './audit.js';
import { caseCommand } from './case.js';
import type { CliContext } from './context.js';
import { credentialCommand } from './credential.js';
import { demoCommand } from './demo.js';
import { describeFailure, exitCodes, type ExitCode } from './errors.js';
import { fileCommand } from './file.js';
import { mockCommand } from './mock.js';
import { organisationCommand } from './organisation.js';
import { printable } from './output.js';
import { proxyCommand } from './proxy.js';
import { registryCommand } from './registry.js';
import { roleCommand } from './role.js';
import { serveCommand } from './serve.js';
import { storeCommand } from './store.js';

const closingHelp = `
Examples:
  $ document-analysis organisation create "Acme Ltd" --feature verification
  $ document-analysis demo --json

Exit codes:
  0  done
  1  refused or failed
  2  wrong usage or configuration`;

/** The whole command line. */
export function createProgram(context: CliContext): Command {
  const program = new Command('document-analysis')
    .description(
      'Operate the Document Analysis API: its organisations, credentials, roles, cases, files, analyses and audit log.',
    )
    .version(openApiDocument.info.version)
    .option('--region <region>', `the region whose data is meant: ${regions.join(' or ')} (REGION, uk)`)
    .option('--data-dir <directory>', 'where the data is kept (DATA_DIR, data)')
    .addHelpText('after', closingHelp);
  program.addCommand(serveCommand(context));
  program.addCommand(mockCommand(context));
  program.addCommand(proxyCommand(context));
  program.addCommand(organisationCommand(context));
  program.addCommand(credentialCommand(context));
  program.addCommand(roleCommand(context));
  program.addCommand(caseCommand(context));
  program.addCommand(fileCommand(context));
  program.addCommand(analyseCommand(context));
  program.addCommand(analysisCommand(context));
  program.addCommand(registryCommand(context));
  program.addCommand(auditCommand(context));
  program.addCommand(storeCommand(context));
  program.addCommand(demoCommand(context));
  attach(program, context);
  return program;
}

/** Runs one command line, as in `process.argv`, to its exit code. It never rejects: failures are told on stderr. */
export async function runCli(argv: string[], context: CliContext): Promise<ExitCode> {
  // A closed pipe is reported by the write itself; without a listener its event would end the process.
  for (const output of [context.stdout, context.stderr]) output.on('error', () => undefined);
  try {
    await createProgram(context).parseAsync(argv);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    const { exitCode, text } = describeFailure(error, context.environment);
    context.stderr.write(text);
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
