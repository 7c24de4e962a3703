import type { Command } from 'commander';
import type { Config } from '../runtime/config.ts';
import { openStore } from '../store/open.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { printResult } from './output.ts';
import { configOf } from './with-store.ts';

const about = `
A server whose database user owns its tables migrates by itself. One that connects as a role of its own cannot: run this first,
with the DATABASE_URL of the owner. The role must exist; it gets the rights to rows that a server needs, and no other to the
tables. Name it each time, because a new version may have new tables.`;

/** Migrates the configured store, and gives a role the rights of a server. */
export function storeMigrateCommand(context: CliContext): Command {
  return reportingCommand(
    'migrate',
    'Bring the schema of the store up to date, and give the role that servers connect as its rights.',
    ['store migrate --server-role document_analysis_server'],
  )
    .option('--server-role <role>', 'the PostgreSQL role that servers connect as')
    .addHelpText('after', about)
    .action(async (options: { serverRole?: string; json?: boolean }, command: Command) => {
      const { serverRole } = options;
      const name = await migrateStore(configOf(context, command), serverRole);
      await printResult(context, options, { store: name, server_role: serverRole ?? null }, () =>
        [
          `The schema of ${name} is up to date.`,
          ...(serverRole === undefined ? [] : [`${serverRole} has the rights of a server.`]),
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
  if (serverRole !== undefined)
    throw new CliError('--server-role needs a PostgreSQL database: name it with DATABASE_URL.');
  const store = await openStore(config);
  await store.close();
  return store.name;
}
