import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Command } from 'commander';
import { CopyError, copyStore, countRows, isSame, type TableCopy, type Transferable } from '../store/transfer.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { type LayOut, printResult, count } from './output.ts';
import { withProgress } from './progress.ts';
import { storeMigrateCommand } from './store-migrate.ts';
import { storeAt } from './store-location.ts';
import { configOf } from './with-store.ts';

interface CopyOptions {
  from: string;
  to: string;
  json?: boolean;
}

const forms = `
A store is one of:
  sqlite:FILE                       a file of the embedded store
  postgres://user@host/database     a PostgreSQL database; its password comes from PGPASSWORD or ~/.pgpass (PGPASSFILE)
  env:NAME                          the value of the environment variable NAME, or the content of the file that NAME_FILE
                                    names; use it for a URL with a password
Stop the servers first: changes made during the copy are lost. Either everything is copied or, on any failure, nothing.
The content of files and their thumbnails are in the data directory, not in the store: the command prints how to copy them.
Imported registers are not copied: import them again.`;

/** The commands for the store as a whole. */
export function storeCommand(context: CliContext): Command {
  return new Command('store')
    .description('Move and migrate the data of a region')
    .addCommand(copyCommand(context))
    .addCommand(storeMigrateCommand(context));
}

function copyCommand(context: CliContext): Command {
  return reportingCommand(
    'copy',
    "Copy a region's data to an empty store, SQLite or PostgreSQL, and verify the copy.",
    [
      'store copy --from sqlite:data/document-analysis-uk.sqlite --to env:DATABASE_URL',
      'store copy --from env:DATABASE_URL --to sqlite:backup/document-analysis-uk.sqlite',
    ],
  )
    .requiredOption('--from <store>', 'the store to copy from')
    .requiredOption('--to <store>', 'the store to copy to; it must be empty')
    .addHelpText('after', forms)
    .action(async (options: CopyOptions, command: Command) => {
      const { region, files } = configOf(context, command);
      const { environment, stderr } = context;
      const source = await storeAt(options.from, { option: '--from', environment, region });
      const target = await storeAt(options.to, { option: '--to', environment, region });
      const total = await countRows(source);
      const left = filesLeft(files.folder, source, target);
      const show = (tables: readonly TableCopy[], closing: string) => {
        const result = { region, from: source.name, to: target.name, same: tables.every(isSame), tables, files: left };
        return printResult(context, options, result, (layOut) => `${describe(tables, layOut)}${closing}`);
      };
      try {
        const copies = await withProgress(stderr, { doing: 'Copying', nouns: 'rows', total }, (onRows) =>
          copyStore(source, target, onRows),
        );
        const rows = copies.reduce((sum, copy) => sum + copy.source.rows, 0);
        await show(
          copies,
          `\n\nCopied ${count(rows, 'row')} to ${target.name} and verified the copy.${left ? describeLeft(left) : ''}`,
        );
      } catch (error) {
        if (error instanceof CopyError && error.copies.length > 0) await show(error.copies, '');
        throw error;
      }
    });
}

/** The files folder of a copied store, and the command that copies it. */
interface FilesLeft {
  readonly folder: string;
  readonly command: string;
}

function filesLeft(configured: string, source: Transferable, target: Transferable): FilesLeft | undefined {
  const folderIn = (dataDir: string) => join(dataDir, basename(configured));
  const folder = source.dataDir === undefined ? configured : folderIn(source.dataDir);
  if (!existsSync(folder)) return undefined;
  if (target.dataDir !== undefined && resolve(folderIn(target.dataDir)) === resolve(folder)) return undefined;
  const to = target.dataDir === undefined ? 'DATA_DIR' : quoted(target.dataDir);
  return { folder, command: `cp -a -- ${quoted(folder)} ${to}/` };
}

function describeLeft({ folder, command }: FilesLeft): string {
  return `\n\nThe files are still in ${folder} only. If the new servers use another data directory, copy them:\n  ${command}`;
}

/** Quotes a text as a single word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function describe(copies: readonly TableCopy[], layOut: LayOut): string {
  return layOut(
    ['TABLE', 'ROWS', 'SHA-256', 'SAME'],
    copies.map((copy) => [copy.table, String(copy.source.rows), copy.source.sha256, isSame(copy) ? 'yes' : 'NO']),
  );
}
