import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { filesSweepCommand } from './files-sweep.ts';

/** The commands for the folder of files. */
export function filesCommand(context: CliContext): Command {
  return new Command('files').description('the folder of files').addCommand(filesSweepCommand(context));
}
