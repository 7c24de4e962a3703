import type { Command } from 'commander';
import { type Config, type ConfigFlags, readConfig } from '../runtime/config.ts';
import type { Organisation } from '../domain/organisation.ts';
import { createLogger } from '../runtime/logger.ts';
import { NotFoundError } from '../store/errors.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { CliContext } from './context.ts';

/** The configuration of a command: the environment, and over it the command's flags and the global ones. */
export function configOf(context: CliContext, command: Command): Config {
  return readConfig(context.environment, command.optsWithGlobals<ConfigFlags>());
}

/** Opens the configured store for a piece of work and closes it however that ends. */
export async function withStore(
  context: CliContext,
  command: Command,
  work: (store: Store, config: Config) => Promise<void>,
): Promise<void> {
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

/** @throws {NotFoundError} if there is no such organisation */
export async function readOrganisation(store: Store, organisationId: string): Promise<Organisation> {
  const organisations = await store.listOrganisations();
  const found = organisations.find((organisation) => organisation.organisation_id === organisationId);
  if (!found) throw new NotFoundError('organisation', organisationId);
  return found;
}
