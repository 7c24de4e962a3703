import { Command } from 'commander';
import type { CliContext } from './context.js';
import { fileAddCommand } from './file-add.js';

/** The commands for files. */
export function fileCommand(context: CliContext): Command {
  return new Command('file').description('files of cases').addCommand(fileAddCommand(context));
}
