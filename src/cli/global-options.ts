import { type Command, Help, type Option } from 'commander';

/** The options that a command shares with all others: those of the program but its version. */
export function globalOptionsOf(command: Command): Option[] {
  const help = Object.assign(new Help(), { showGlobalOptions: true });
  return help.visibleGlobalOptions(command).filter(({ long }) => long !== '--version');
}
