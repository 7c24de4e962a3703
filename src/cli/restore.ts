import type { Command } from 'commander';
import { checkBackup, restoreBackup } from '../backup/restore-backup.ts';
import { reportingCommand } from './arguments.ts';
import { regionDataOf } from './backup.ts';
import type { CliContext } from './context.ts';
import { count, printable, printResult } from './output.ts';
import { withStages } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { configOf } from './with-store.ts';

const about = `
The data directory must have nothing of the region: stop its servers and move the database, the files beside it and the folder
of files away first. Each part of the backup is compared with its SHA-256 while it is written to a folder beside them; then all
is put in place, or, on any failure, nothing. A backup of an older version of the program is brought up to date by the next start.
Run it as the user of the servers, who has to own the files.

Credentials that were revoked after the backup was made are valid again: revoke them again before you start servers.`;

/** Restores a region from a backup. */
export function restoreCommand(context: CliContext): Command {
  return reportingCommand('restore', "Restore a region's database and files from a backup, or check a backup.", [
    'restore /backups/uk-2026-11-22 --data-dir /var/lib/document-analysis',
    'restore /backups/uk-2026-11-22 --check',
  ])
    .argument('<folder>', 'what the command backup made')
    .option('--check', 'read and compare all of the backup, and write nothing')
    .addHelpText('after', about)
    .action(async (folder: string, options: { check?: boolean; json?: boolean }, command: Command) => {
      const config = configOf(context, command);
      const data = options.check
        ? { region: config.region, databasePath: config.databasePath, filesFolder: config.files.folder }
        : regionDataOf(config, 'restored', 'pg_restore, and then copy the saved files to the folder');
      const doing = options.check ? 'Checking' : 'Restoring';
      const manifest = await stoppable('Nothing is restored.', (signal) =>
        withStages(context.stderr, { pages: doing, files: doing }, (onProgress) =>
          options.check
            ? checkBackup(folder, data.region, { onProgress, signal })
            : restoreBackup(folder, data, { onProgress, signal }),
        ),
      );
      const holds = `the database and ${count(manifest.parts - 1, 'file')} of ${manifest.created_at}`;
      await printResult(context, options, { backup: folder, restored: !options.check, ...manifest }, () =>
        options.check
          ? `${printable(folder)} is a whole backup of region ${data.region}: ${holds}.`
          : `Restored region ${data.region} from ${printable(folder)}: ${holds}.`,
      );
    });
}
