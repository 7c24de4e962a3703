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
server needs and nothing else. Name it each time, because a new version may add tables.`;

/** Migrates the configured store, and gives a role the rights of a server. */
export function storeMigrateCommand(context: CliContext): Command {
  return reportingCommand('migrate', 'Update the schema of the store, and grant the role of the servers its rights.', [
    'store migrate --server-role document_analysis_server',
  ])
    .option('--server-role <role>', 'the PostgreSQL role of the servers')
    .addHelpText('after', about)
    .action(async (options: { serverRole?: string; json?: boolean }, command: Command) => {
      const { serverRole } = options;
      const name = await migrateStore(configOf(context, command), serverRole);
      await printResult(context, options, { store: name, server_role: serverRole ?? null }, () =>
        [
          `The schema of ${name} is up to date.`,
          ...(serverRole === undefined ? [] : [`${serverRole} has the rights that a server needs.`]),
        ].join('\n'),
      );
    });
}

/** Gives the store's name. */
async function migrateStore(config: Config, serverRole: string | undefined): Promise<string> {
  if (config.database) {
    const { prepareDatabase } = await import('../store/postgres/prepare.ts');
    return `the database ${(await prepareDatabase(config.database.url, config.region, serverRole)).name}`;
  }
  if (serverRole !== undefined) throw new CliError('--server-role needs a PostgreSQL database: set DATABASE_URL.');
  const store = await openStore(config);
  await store.close();
  return store.name;
}
