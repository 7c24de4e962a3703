import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, type ConfigFlags, readConfig } from '../runtime/config.ts';
import { type Region, regions } from '../domain/region.ts';
import { createLogger } from '../runtime/logger.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';

/** The configuration of a command: the environment, overridden by the command's flags and the global ones. */
export function configOf(context: CliContext, command: Command): Config {
  return readConfig(context.environment, command.optsWithGlobals<ConfigFlags>());
}

type Work = (store: Store, config: Config) => Promise<void>;

/**
 * Works on the configured store, and always closes it. A missing SQLite database is not created, because the folder or
 * the region is probably wrong. @throws {OperatorError} if it does not exist
 */
export async function withStore(context: CliContext, command: Command, work: Work): Promise<void> {
  const { database, databasePath, region } = configOf(context, command);
  if (!database && !existsSync(databasePath)) throw noData(databasePath, region);
  await withNewStore(context, command, work);
}

export async function withNewStore(context: CliContext, command: Command, work: Work): Promise<void> {
  const config = configOf(context, command);
  const store = await openStore(config, (message, error) => {
    void createLogger(config.logLevel, context.stderr).then((logger) => {
      logger.warn({ err: error }, message);
    });
  });
  try {
    await work(store, config);
  } finally {
    await store.close();
  }
}

function noData(databasePath: string, region: Region): OperatorError {
  const pathOf = (other: string) => databasePath.replace(basename(databasePath), `document-analysis-${other}.sqlite`);
  const found = regions.filter((other) => existsSync(pathOf(other)));
  return new OperatorError(
    `No data of region ${region} in ${resolve(dirname(databasePath))}: there is no ${basename(databasePath)}. ` +
      found.map((other) => `The folder has data of region ${other}: add --region ${other}. `).join('') +
      'Run the command in another folder, name the folder with --data-dir (DATA_DIR), or create data: document-analysis demo',
  );
}
