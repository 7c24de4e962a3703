import type { Command } from 'commander';
import { checkBackup } from '../backup/restore-backup.ts';
import { makeBackup, type RegionData } from '../backup/make-backup.ts';
import type { Config } from '../runtime/config.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { count, printable, printResult } from './output.ts';
import { withStages } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { configOf } from './with-store.ts';

const about = `
FOLDER is made. Servers, workers and other commands go on meanwhile. The backup holds the database as of the moment when it
began, with the register of companies, and the content and thumbnail of each file that the database names. In the end all of it
is read back and compared. parts.sha256 lists the SHA-256 of each part; manifest.json is written last.

It holds hashes of secrets and the documents themselves: keep it as safe as the data directory.
If the region itself lacks the content of a file, the backup is made without it, and the exit code is 1.`;

/** Makes a backup of a region. */
export function backupCommand(context: CliContext): Command {
  return reportingCommand('backup', "Back up a region's database and files into a new folder, while servers run.", [
    'backup /backups/uk-2026-11-22',
    'restore /backups/uk-2026-11-22 --check',
  ])
    .argument('<folder>', 'a folder that does not exist, or is empty')
    .addHelpText('after', about)
    .action(async (folder: string, options: { json?: boolean }, command: Command) => {
      const config = configOf(context, command);
      const data = regionDataOf(config, 'backed up', 'pg_dump first, and then copy the folder');
      const manifest = await stoppable('Nothing is backed up.', (signal) =>
        withStages(context.stderr, { pages: 'Copying', files: 'Copying' }, (onProgress) =>
          makeBackup(data, folder, { now: context.now, onProgress, signal }),
        ),
      );
      await stoppable(`The backup ${folder} is made, and not checked.`, (signal) =>
        withStages(context.stderr, { pages: 'Checking', files: 'Checking' }, (onProgress) =>
          checkBackup(folder, data.region, { onProgress, signal }),
        ),
      );
      await printResult(context, options, { backup: folder, ...manifest }, () =>
        [
          `Backed up region ${data.region} to ${printable(folder)}: the database and ${count(manifest.parts - 1, 'file')} of content and thumbnails, ` +
            `${count(manifest.bytes, 'byte')}.`,
          'All of it was read back and is as it was written.',
        ].join('\n'),
      );
      if (manifest.missing > 0)
        throw new CliError(
          `The backup ${folder} lacks ${count(manifest.missing, 'file')} that the database names, because ` +
            `${data.filesFolder} lacks them too, or has them damaged. Add those files again.`,
        );
    });
}

/**
 * Where the data of a region on SQLite is.
 * @throws {CliError} if it is on PostgreSQL, whose own tools do this
 */
export function regionDataOf(
  { region, database, databasePath, files }: Config,
  done: string,
  tools: string,
): RegionData {
  if (database)
    throw new CliError(
      `A PostgreSQL database (DATABASE_URL) is ${done} with its own tools: use ${tools} ${files.folder}.`,
    );
  return { region, databasePath, filesFolder: files.folder };
}
