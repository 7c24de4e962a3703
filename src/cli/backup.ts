import type { Command } from 'commander';
import { checkBackup, restoreBackup } from '../store/backup/restore-backup.ts';
import { makeBackup, type RegionData } from '../store/backup/make-backup.ts';
import type { Course } from '../store/backup/format.ts';
import type { Config } from '../runtime/config.ts';
import { PathArgument } from './arguments.ts';
import { ReportingCommand, type Run } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { printable } from './errors.ts';
import { count } from './output.ts';
import { withStages } from './progress.ts';
import { stoppable } from './stop-signal.ts';

const aboutBackup = `
Servers, workers and other commands can keep running. The backup contains the database as of the moment when the backup
started, imported registers included, and the content and thumbnail of every file in it. Finally the whole backup is read back
and verified. parts.sha256 lists the SHA-256 of each part; manifest.json is written last.

A backup contains the documents themselves and hashes of secrets: protect it as you protect the data directory.
If the content of a file is missing in the region, the backup is made without it, and the exit code is 1.`;

export function backupCommand(context: CliContext): Command {
  const description = "Back up a region's database and files to a new folder, while servers run.";
  return new ReportingCommand(context, 'backup', description, [
    'backup /backups/uk-2026-11-22',
    'restore /backups/uk-2026-11-22 --check',
  ])
    .addArgument(new PathArgument('<folder>', 'a new or empty folder'))
    .addHelpText('after', aboutBackup)
    .run(async ({ config, report }, folder: string) => {
      const data = regionDataOf(config, 'backed up', 'pg_dump first, and then copy the folder');
      const manifest = await staged(context, 'Copying', 'No backup was made.', (course) =>
        makeBackup(data, folder, { now: context.now, ...course }),
      );
      await staged(context, 'Checking', `The backup ${folder} was made but not verified.`, (course) =>
        checkBackup(folder, data.region, course),
      );
      await report({ backup: folder, ...manifest }, () =>
        [
          `Backed up region ${data.region} to ${printable(folder)}: the database and ${count(manifest.parts - 1, 'file')} of content and thumbnails, ` +
            `${count(manifest.bytes, 'byte')}.`,
          'All of it was read back and verified.',
        ].join('\n'),
      );
      if (manifest.missing > 0)
        throw new OperatorError(
          `The backup ${folder} was made without ${count(manifest.missing, 'file')}, missing or damaged in ` +
            `${data.filesFolder}. Add those files again.`,
        );
    });
}

/** Runs work that shows its progress and that a signal stops. `undone` says what was not done then. */
function staged<T>(
  { stderr }: CliContext,
  doing: string,
  undone: string,
  work: (course: Course) => Promise<T>,
): Promise<T> {
  return stoppable(undone, (signal) => withStages(stderr, doing, (onProgress) => work({ onProgress, signal })));
}

/** Locates the data of a region on SQLite. @throws {OperatorError} if it is on PostgreSQL, which has its own backup tools */
function regionDataOf({ region, database, databasePath, files }: Config, done: string, tools: string): RegionData {
  if (database)
    throw new OperatorError(
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

export function restoreCommand(context: CliContext): Command {
  const description = "Restore a region's database and files from a backup, or verify a backup.";
  return new ReportingCommand(context, 'restore', description, [
    'restore /backups/uk-2026-11-22 --data-dir /var/lib/document-analysis',
    'restore /backups/uk-2026-11-22 --check',
  ])
    .addArgument(new PathArgument('<folder>', 'the folder of the backup'))
    .option('--check', 'only verify the backup; write nothing')
    .addHelpText('after', aboutRestore)
    .run(async ({ config, options, report }: Run<{ check?: boolean }>, folder: string) => {
      const { region } = config;
      const check = () =>
        staged(context, 'Checking', 'Nothing was restored.', (course) => checkBackup(folder, region, course));
      const restore = () => {
        const data = regionDataOf(config, 'restored', 'pg_restore, and then copy the saved files to the folder');
        return staged(context, 'Restoring', 'Nothing was restored.', (course) => restoreBackup(folder, data, course));
      };
      const manifest = await (options.check ? check() : restore());
      const holds = `the database and ${count(manifest.parts - 1, 'file')} of ${manifest.created_at}`;
      await report({ backup: folder, restored: !options.check, ...manifest }, () =>
        options.check
          ? `${printable(folder)} is a complete backup of region ${region}: ${holds}.`
          : `Restored region ${region} from ${printable(folder)}: ${holds}.`,
      );
    });
}
