import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Region, regions } from '../domain/region.ts';
import { readSecretFiles } from '../runtime/config-values.ts';
import { type Config, ConfigError } from '../runtime/config.ts';
import { openStore } from '../store/open.ts';
import { faultOfDatabaseUrl } from '../store/settings.ts';
import { sqliteTransferable } from '../store/sqlite/transfer.ts';
import { CopyError, copyStore, countRows, isSame, type TableCopy, type Transferable } from '../store/transfer.ts';
import { commandGroup, ReportingCommand, type Run } from './command.ts';
import type { CliContext } from './context.ts';
import { count } from './output.ts';
import { withProgress } from './progress.ts';

const forms = `
A store is one of:
  sqlite:FILE                       a file of the embedded store
  postgres://user@host/database     a PostgreSQL database; its password comes from PGPASSWORD or ~/.pgpass (PGPASSFILE)
  env:NAME                          the value of the environment variable NAME, or the content of the file that NAME_FILE
                                    names; use it for a URL with a password
Stop the servers first: changes made during the copy are lost. Either everything is copied or, on any failure, nothing.
The content of files and their thumbnails are in the data directory, not in the store: the command prints how to copy them.
Imported registers are not copied: import them again.`;

export function storeCommand(context: CliContext): Command {
  return commandGroup(context, 'store', 'Move and migrate the data of a region', [copyCommand, migrateCommand]);
}

function copyCommand(context: CliContext): Command {
  const description = "Copy a region's data to an empty store, SQLite or PostgreSQL, and verify the copy.";
  return new ReportingCommand(context, 'copy', description, [
    'store copy --from sqlite:data/document-analysis-uk.sqlite --to env:DATABASE_URL',
    'store copy --from env:DATABASE_URL --to sqlite:backup/document-analysis-uk.sqlite',
  ])
    .requiredOption('--from <store>', 'the store to copy from')
    .requiredOption('--to <store>', 'the store to copy to; it must be empty')
    .addHelpText('after', forms)
    .run(async ({ config: { region, files }, options, report }: Run<{ from: string; to: string }>) => {
      const { environment, stderr } = context;
      const source = await storeAt(options.from, { option: '--from', environment, region });
      const target = await storeAt(options.to, { option: '--to', environment, region });
      const total = await countRows(source);
      const left = filesLeft(files.folder, source, target);
      const show = (tables: readonly TableCopy[], closing: string) => {
        const result = { region, from: source.name, to: target.name, same: tables.every(isSame), tables, files: left };
        return report(result, (layOut) => {
          const table = layOut(tables, [
            'table',
            ['ROWS', (copy) => copy.source.rows],
            ['SHA-256', (copy) => copy.source.sha256],
            ['SAME', (copy) => (isSame(copy) ? 'yes' : 'NO')],
          ]);
          return `${table}${closing}`;
        });
      };
      try {
        const copies = await withProgress(stderr, { doing: 'Copying', nouns: 'rows', total }, (onRows) =>
          copyStore(source, target, onRows),
        );
        const rows = copies.reduce((sum, copy) => sum + copy.source.rows, 0);
        const copied = `Copied ${count(rows, 'row')} to ${target.name} and verified the copy.`;
        await show(copies, `\n\n${copied}${left ? describeLeft(left) : ''}`);
      } catch (error) {
        if (error instanceof CopyError && error.copies.length > 0) await show(error.copies, '');
        throw error;
      }
    });
}

/** The folder of files that the copy leaves behind, and the command that copies it; undefined if there is none. */
function filesLeft(configured: string, source: Transferable, target: Transferable) {
  const folderIn = (dataDir: string) => join(dataDir, basename(configured));
  const folder = source.dataDir === undefined ? configured : folderIn(source.dataDir);
  if (!existsSync(folder)) return undefined;
  if (target.dataDir !== undefined && resolve(folderIn(target.dataDir)) === resolve(folder)) return undefined;
  const to = target.dataDir === undefined ? 'DATA_DIR' : quoted(target.dataDir);
  return { folder, command: `cp -a -- ${quoted(folder)} ${to}/` };
}

function describeLeft({ folder, command }: NonNullable<ReturnType<typeof filesLeft>>): string {
  return `\n\nThe files are still in ${folder} only. If the new servers use another data directory, copy them:\n  ${command}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const about = `
A server that connects as the owner of the tables migrates them when it starts. If your servers connect as another role, run
this before each upgrade, with the DATABASE_URL of the owner. The role must exist. It is granted the rights to rows that a
server needs and nothing else. Name it each time, because a new version may add tables.

DATABASE_URL must be a direct connection to PostgreSQL, not to a connection pooler. With DATABASE_POOLER=transaction,
the role, or without --server-role the user in DATABASE_URL, also receives the settings that servers behind a pooler
need. Every role may change its own settings.`;

function migrateCommand(context: CliContext): Command {
  const description = 'Update the schema of the store, and grant the role of the servers its rights.';
  const examples = ['store migrate --server-role document_analysis_server'];
  return new ReportingCommand(context, 'migrate', description, examples)
    .option('--server-role <role>', 'the PostgreSQL role of the servers')
    .addHelpText('after', about)
    .run(async ({ config, options: { serverRole }, report }: Run<{ serverRole?: string }>) => {
      const { name, pooledRole } = await migrateStore(config, serverRole);
      await report({ store: name, server_role: serverRole ?? null }, () =>
        [
          `The schema of ${name} is up to date.`,
          ...(serverRole === undefined ? [] : [`${serverRole} has the rights that a server needs.`]),
          ...(pooledRole === undefined ? [] : [`${pooledRole} has the settings that a server behind a pooler needs.`]),
        ].join('\n'),
      );
    });
}

async function migrateStore(
  config: Config,
  serverRole: string | undefined,
): Promise<{ name: string; pooledRole?: string | undefined }> {
  if (config.database) {
    const { prepareDatabase } = await import('../store/postgres/prepare.ts');
    const { url, pooled } = config.database;
    const { name, pooledRole } = await prepareDatabase(url, config.region, { serverRole, pooled });
    return { name: `the database ${name}`, pooledRole };
  }
  if (serverRole !== undefined) throw new ConfigError('--server-role needs a PostgreSQL database: set DATABASE_URL.');
  const store = await openStore(config);
  await store.close();
  return { name: store.name };
}

/**
 * The store that an option names. A URL with a password is accepted only as `env:NAME`, because other users of the
 * machine can read arguments. @throws {ConfigError} without a possible secret in its message
 */
async function storeAt(
  text: string,
  { option, environment, region }: { option: string; environment: NodeJS.ProcessEnv; region: Region },
): Promise<Transferable> {
  const [, name] = /^env:(.*)$/.exec(text) ?? [];
  if (name === undefined) {
    const url = URL.parse(text);
    // The driver also accepts a password in the query string.
    if (url && (url.password !== '' || url.searchParams.has('password')))
      throw new ConfigError(
        `${option} contains a password, which every user of this machine can read. Put the URL into an environment variable ` +
          `and name that (${option} env:DATABASE_URL), or keep the password in ~/.pgpass (PGPASSFILE).`,
      );
    return open(text, option, region);
  }
  if (!/^\w+$/.test(name))
    throw new ConfigError(`${option} must name an environment variable after env:, such as env:DATABASE_URL.`);
  const secrets = readSecretFiles(environment, [name]);
  const mistake = secrets.mistakes.get(name);
  if (mistake !== undefined) throw new ConfigError(`${mistake}.`);
  const value = secrets.environment[name];
  if (!value) throw new ConfigError(`${option} names the environment variable ${name}, which is not set.`);
  return open(value, name, region);
}

async function open(text: string, place: string, region: Region): Promise<Transferable> {
  const [, path] = /^sqlite:(.+)$/s.exec(text) ?? [];
  if (path !== undefined) {
    const other = regions.find((name) => name !== region && basename(path).includes(`-${name}.`));
    if (other === undefined) return sqliteTransferable(path);
    throw new ConfigError(
      `${place} names the file ${path}, which seems to belong to region ${other}. If that is what you mean, add --region ${other}.`,
    );
  }
  if (!/^postgres(ql)?:/.test(text))
    throw new ConfigError(`${place} must be sqlite:FILE, a URL such as postgres://user@host/database, or env:NAME.`);
  const fault = faultOfDatabaseUrl(text);
  if (fault !== undefined) throw new ConfigError(`${place} ${fault}.`);
  const { postgresTransferable } = await import('../store/postgres/transfer.ts');
  return postgresTransferable(text, region, place);
}
