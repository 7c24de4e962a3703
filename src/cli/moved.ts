import { Command } from 'commander';
import { ConfigError } from '../runtime/config.ts';

/** A command that has moved to another program. It accepts any options, and names that program. */
export function movedCommand(name: string): () => Command {
  const now = `document-analysis-contract ${name}`;
  return () =>
    new Command(name)
      .description(`Moved: run ${now}`)
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new ConfigError(`${name} has moved to another package: run ${now}`);
      });
}
