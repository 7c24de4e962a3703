import type { Command } from 'commander';
import { checkBackup, restoreBackup } from '../store/backup/restore-backup.ts';
import { makeBackup, type RegionData } from '../store/backup/make-backup.ts';
import type { Config } from '../runtime/config.ts';
import { PathArgument, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError, printable } from './errors.ts';
import { count, printResult } from './output.ts';
import { withStages } from './progress.ts';
import { stoppable } from './stop-signal.ts';
import { configOf } from './with-store.ts';

const aboutBackup = `
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
    .addHelpText('after', aboutBackup)
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
function regionDataOf({ region, database, databasePath, files }: Config, done: string, tools: string): RegionData {
  if (database)
    throw new CliError(
      `A PostgreSQL database (DATABASE_URL) must be ${done} with its own tools: use ${tools} ${files.folder}.`,
    );
  return { region, databasePath, filesFolder: files.folder };
}

const aboutRestore = `
The data directory must contain nothing of the region: first stop its servers, and move away the database, the files beside it
and the folder of files. Every part of the backup is compared with its SHA-256. Then everything is put in place or, on any
failure, nothing. A backup made by an older version is upgraded by the next start of a server.
Run it as the operating system user of the servers, who must own the files.

Credentials that were revoked after the backup are valid again: revoke them before you start servers.`;

/** Restores a region from a backup. */
export function restoreCommand(context: CliContext): Command {
  return reportingCommand('restore', "Restore a region's database and files from a backup, or verify a backup.", [
    'restore /backups/uk-2026-11-22 --data-dir /var/lib/document-analysis',
    'restore /backups/uk-2026-11-22 --check',
  ])
    .addArgument(new PathArgument('<folder>', 'the folder of the backup'))
    .option('--check', 'only verify the backup; write nothing')
    .addHelpText('after', aboutRestore)
    .action(async (folder: string, options: { check?: boolean; json?: boolean }, command: Command) => {
      const config = configOf(context, command);
      const data = options.check
        ? { region: config.region, databasePath: config.databasePath, filesFolder: config.files.folder }
        : regionDataOf(config, 'restored', 'pg_restore, and then copy the saved files to the folder');
      const doing = options.check ? 'Checking' : 'Restoring';
      const manifest = await stoppable('Nothing was restored.', (signal) =>
        withStages(context.stderr, { pages: doing, files: doing }, (onProgress) =>
          options.check
            ? checkBackup(folder, data.region, { onProgress, signal })
            : restoreBackup(folder, data, { onProgress, signal }),
        ),
      );
      const holds = `the database and ${count(manifest.parts - 1, 'file')} of ${manifest.created_at}`;
      await printResult(context, options, { backup: folder, restored: !options.check, ...manifest }, () =>
        options.check
          ? `${printable(folder)} is a complete backup of region ${data.region}: ${holds}.`
          : `Restored region ${data.region} from ${printable(folder)}: ${holds}.`,
      );
    });
}
