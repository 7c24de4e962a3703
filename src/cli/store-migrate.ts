import type { Command } from 'commander';
import type { Config } from '../runtime/config.ts';
import { openStore } from '../store/open.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { printResult } from './output.ts';
import { configOf } from './with-store.ts';

const about = `
A server that connects as the owner of the tables migrates them when it starts. If your servers connect as another role, run
this before each upgrade, with the DATABASE_URL of the owner. The role must exist. It is granted the rights to rows that a
server needs and nothing else. Name it each time, because a new version may add tables.

DATABASE_URL must be a direct connection to PostgreSQL, not to a connection pooler. With DATABASE_POOLER=transaction,
the role, or without --server-role the user in DATABASE_URL, also receives the settings that servers behind a pooler
need. Every role may change its own settings.`;

/** Migrates the configured store, and grants a role the rights of a server. */
export function storeMigrateCommand(context: CliContext): Command {
  return reportingCommand('migrate', 'Update the schema of the store, and grant the role of the servers its rights.', [
    'store migrate --server-role document_analysis_server',
  ])
    .option('--server-role <role>', 'the PostgreSQL role of the servers')
    .addHelpText('after', about)
    .action(async (options: { serverRole?: string; json?: boolean }, command: Command) => {
      const { serverRole } = options;
      const { name, pooledRole } = await migrateStore(configOf(context, command), serverRole);
      await printResult(context, options, { store: name, server_role: serverRole ?? null }, () =>
        [
          `The schema of ${name} is up to date.`,
          ...(serverRole === undefined ? [] : [`${serverRole} has the rights that a server needs.`]),
          ...(pooledRole === undefined ? [] : [`${pooledRole} has the settings that a server behind a pooler needs.`]),
        ].join('\n'),
      );
    });
}

interface MigratedStore {
  name: string;
  pooledRole?: string | undefined;
}

async function migrateStore(config: Config, serverRole: string | undefined): Promise<MigratedStore> {
  if (config.database) {
    const { prepareDatabase } = await import('../store/postgres/prepare.ts');
    const { url, pooled } = config.database;
    const { name, pooledRole } = await prepareDatabase(url, config.region, { serverRole, pooled });
    return { name: `the database ${name}`, pooledRole };
  }
  if (serverRole !== undefined) throw new CliError('--server-role needs a PostgreSQL database: set DATABASE_URL.');
  const store = await openStore(config);
  await store.close();
  return { name: store.name };
}
