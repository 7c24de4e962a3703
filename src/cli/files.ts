import type { Command } from 'commander';
import { findLeftovers, type Leftover, removeLeftovers } from '../files/leftovers.ts';
import { commandGroup, ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { count, type LayOut } from './output.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stop-signal.ts';

export function filesCommand(context: CliContext): Command {
  return commandGroup(context, 'files', 'Maintain the stored files', [filesSweepCommand]);
}

const about = `
A crash or a failure while files are added can leave content, thumbnails and incoming copies that belong to no file. Servers,
workers and 'file add' can run at the same time: content and thumbnails of a file are never removed.
Leftovers from the last 24 hours are kept, and so are those newer than the newest file in the database. A database that
is older than the files, such as one restored from an old backup, therefore does not cause the loss of newer files.`;

const kinds = ['content', 'thumbnails', 'incoming'] as const;

function filesSweepCommand(context: CliContext): Command {
  const { stderr, now } = context;
  const description = 'Find stored content and thumbnails that belong to no file. With --delete, remove them.';
  return new ReportingCommand(context, 'sweep', description, ['files sweep', 'files sweep --delete'])
    .option('--delete', 'remove the leftovers; without it, only count them')
    .addHelpText('after', about)
    .onStore(async ({ store, config, options, report }: StoreRun<{ delete?: boolean }>) => {
      const { folder } = config.files;
      const looking = { doing: 'Looking', nouns: 'folders', total: 257, isLong: true };
      const found = await withProgress(stderr, looking, (onFolder) => findLeftovers(folder, store, { now, onFolder }));
      const total = kinds.reduce((sum, kind) => sum + found[kind].length, 0);
      const remove = () =>
        withProgress(stderr, { doing: 'Removing', nouns: 'leftovers', total, isLong: true }, (onRemoved) =>
          stoppable('Leftovers removed so far stay removed.', (signal) =>
            removeLeftovers(found, folder, store, { onRemoved, signal }),
          ),
        );
      const deleted = options.delete === true;
      const listed = deleted ? await remove() : found;
      const sizes = kinds.map((kind) => ({ kind, ...sizeOf(listed[kind]) }));
      const result = {
        folder,
        database: store.name,
        deleted,
        ...Object.fromEntries(sizes.map(({ kind, ...size }) => [kind, size])),
        too_recent: found.tooRecent,
      };
      await report(result, (layOut) => describe(sizes, { tooRecent: found.tooRecent, total, deleted }, layOut));
    });
}

function sizeOf(leftovers: readonly Leftover[]): { files: number; bytes: number } {
  return { files: leftovers.length, bytes: leftovers.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function describe(
  sizes: readonly { kind: string; files: number; bytes: number }[],
  { tooRecent, total, deleted }: { tooRecent: number; total: number; deleted: boolean },
  layOut: LayOut,
): string {
  const left = deleted ? 'Removed.' : 'Nothing removed. Add --delete to remove them.';
  return [
    layOut(sizes, [['LEFTOVERS', 'kind'], 'files', 'bytes']),
    '',
    total === 0 ? 'No leftovers.' : left,
    ...(tooRecent === 0
      ? []
      : [`Kept ${count(tooRecent, 'leftover')} that may still be in use: too recent to remove.`]),
  ].join('\n');
}
