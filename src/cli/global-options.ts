import { type Command, Help, type Option } from 'commander';

/** The options that all commands share: those of the program except its version. */
export function globalOptionsOf(command: Command): Option[] {
  const help = Object.assign(new Help(), { showGlobalOptions: true });
  return help.visibleGlobalOptions(command).filter(({ long }) => long !== '--version');
}
