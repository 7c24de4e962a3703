import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { filesSweepCommand } from './files-sweep.ts';

/** The commands for the folder of files. */
export function filesCommand(context: CliContext): Command {
  return new Command('files').description('Maintain the stored files').addCommand(filesSweepCommand(context));
}
