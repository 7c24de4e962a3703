import type { Command } from 'commander';
import { checkBackup } from '../backup/restore-backup.ts';
import { makeBackup, type RegionData } from '../backup/make-backup.ts';
import type { Config } from '../runtime/config.ts';
import { PathArgument, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { count, printResult } from './output.ts';
import { printable } from './printable.ts';
import { withStages } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { configOf } from './with-store.ts';

const about = `
Servers, workers and other commands can keep running. The backup contains the database as of the moment when the backup
started, imported registers included, and the content and thumbnail of every file in it. Finally the whole backup is read back
and verified. parts.sha256 lists the SHA-256 of each part; manifest.json is written last.

A backup contains the documents themselves and hashes of secrets: protect it as you protect the data directory.
If the content of a file is missing in the region, the backup is made without it, and the exit code is 1.`;

/** Makes a backup of a region. */
export function backupCommand(context: CliContext): Command {
  return reportingCommand('backup', "Back up a region's database and files to a new folder, while servers run.", [
    'backup /backups/uk-2026-11-22',
    'restore /backups/uk-2026-11-22 --check',
  ])
    .addArgument(new PathArgument('<folder>', 'a new or empty folder'))
    .addHelpText('after', about)
    .action(async (folder: string, options: { json?: boolean }, command: Command) => {
      const config = configOf(context, command);
      const data = regionDataOf(config, 'backed up', 'pg_dump first, and then copy the folder');
      const manifest = await stoppable('No backup was made.', (signal) =>
        withStages(context.stderr, { pages: 'Copying', files: 'Copying' }, (onProgress) =>
          makeBackup(data, folder, { now: context.now, onProgress, signal }),
        ),
      );
      await stoppable(`The backup ${folder} was made but not verified.`, (signal) =>
        withStages(context.stderr, { pages: 'Checking', files: 'Checking' }, (onProgress) =>
          checkBackup(folder, data.region, { onProgress, signal }),
        ),
      );
      await printResult(context, options, { backup: folder, ...manifest }, () =>
        [
          `Backed up region ${data.region} to ${printable(folder)}: the database and ${count(manifest.parts - 1, 'file')} of content and thumbnails, ` +
            `${count(manifest.bytes, 'byte')}.`,
          'All of it was read back and verified.',
        ].join('\n'),
      );
      if (manifest.missing > 0)
        throw new CliError(
          `The backup ${folder} was made without ${count(manifest.missing, 'file')}, missing or damaged in ` +
            `${data.filesFolder}. Add those files again.`,
        );
    });
}

/**
 * Locates the data of a region on SQLite.
 * @throws {CliError} if the region is on PostgreSQL, which has its own backup tools
 */
export function regionDataOf(
  { region, database, databasePath, files }: Config,
  done: string,
  tools: string,
): RegionData {
  if (database)
    throw new CliError(
      `A PostgreSQL database (DATABASE_URL) must be ${done} with its own tools: use ${tools} ${files.folder}.`,
    );
  return { region, databasePath, filesFolder: files.folder };
}
