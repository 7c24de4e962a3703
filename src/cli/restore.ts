import type { Command } from 'commander';
import { checkBackup, restoreBackup } from '../backup/restore-backup.ts';
import { PathArgument, reportingCommand } from './arguments.ts';
import { regionDataOf } from './backup.ts';
import type { CliContext } from './context.ts';
import { count, printResult } from './output.ts';
import { printable } from './printable.ts';
import { withStages } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { configOf } from './with-store.ts';

const about = `
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
    .addHelpText('after', about)
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
