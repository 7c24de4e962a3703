import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findLeftovers, type Leftover, type Leftovers, removeLeftovers } from '../files/leftovers.ts';
import { reportingCommand } from './arguments.ts';
import { count, type LayOut, printResult } from './output.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stop-signal.ts';
import { withStore } from './with-store.ts';

/** The commands for the folder of files. */
export function filesCommand(context: CliContext): Command {
  return new Command('files').description('Maintain the stored files').addCommand(filesSweepCommand(context));
}

const about = `
A crash or a failure while files are added can leave content, thumbnails and incoming copies that belong to no file. Servers,
workers and 'file add' can run at the same time: content and thumbnails of a file are never removed.
Leftovers from the last 24 hours are kept, and so are those newer than the newest file in the database. A database that
is older than the files, such as one restored from an old backup, therefore does not cause the loss of newer files.`;

const kinds = ['content', 'thumbnails', 'incoming'] as const;

type Found = Pick<Leftovers, (typeof kinds)[number]>;

/** Counts the leftovers that belong to no file, and with `--delete` removes them. */
function filesSweepCommand(context: CliContext): Command {
  return reportingCommand(
    'sweep',
    'Find stored content and thumbnails that belong to no file. With --delete, remove them.',
    ['files sweep', 'files sweep --delete'],
  )
    .option('--delete', 'remove the leftovers; without it, only count them')
    .addHelpText('after', about)
    .action((options: { delete?: boolean; json?: boolean }, command: Command) =>
      withStore(context, command, async (store, { files: { folder } }) => {
        const found = await withProgress(
          context.stderr,
          { doing: 'Looking', nouns: 'folders', total: 257, isLong: true },
          (onFolder) => findLeftovers(folder, store, { now: context.now, onFolder }),
        );
        const total = kinds.reduce((sum, kind) => sum + found[kind].length, 0);
        const removed = options.delete
          ? await withProgress(
              context.stderr,
              { doing: 'Removing', nouns: 'leftovers', total, isLong: true },
              (onRemoved) =>
                stoppable('Leftovers removed so far stay removed.', (signal) =>
                  removeLeftovers(found, folder, store, { onRemoved, signal }),
                ),
            )
          : undefined;
        const told = removed ?? found;
        const result = {
          folder,
          database: store.name,
          deleted: removed !== undefined,
          ...Object.fromEntries(kinds.map((kind) => [kind, sizeOf(told[kind])])),
          too_recent: found.tooRecent,
        };
        await printResult(context, options, result, (layOut) =>
          describe(told, { tooRecent: found.tooRecent, total, deleted: removed !== undefined }, layOut),
        );
      }),
    );
}

function sizeOf(leftovers: readonly Leftover[]): { files: number; bytes: number } {
  return { files: leftovers.length, bytes: leftovers.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function describe(
  told: Found,
  { tooRecent, total, deleted }: { tooRecent: number; total: number; deleted: boolean },
  layOut: LayOut,
): string {
  const sizes = kinds.map((kind) => ({ kind, ...sizeOf(told[kind]) }));
  const ending = deleted ? 'Removed.' : total === 0 ? 'No leftovers.' : 'Nothing removed. Add --delete to remove them.';
  return [
    layOut(
      ['LEFTOVERS', 'FILES', 'BYTES'],
      sizes.map(({ kind, files, bytes }) => [kind, String(files), String(bytes)]),
    ),
    '',
    ending,
    ...(tooRecent === 0
      ? []
      : [`Kept ${count(tooRecent, 'leftover')} that may still be in use: too recent to remove.`]),
  ].join('\n');
}
