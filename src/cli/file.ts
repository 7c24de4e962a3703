import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { fileAddCommand } from './file-add.ts';
import { fileExpectCommand } from './file-expect.ts';

/** The commands for files. */
export function fileCommand(context: CliContext): Command {
  return new Command('file')
    .description('Add files to cases')
    .addCommand(fileAddCommand(context))
    .addCommand(fileExpectCommand(context));
}
