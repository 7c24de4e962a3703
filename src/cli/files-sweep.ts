import type { Command } from 'commander';
import { findLeftovers, type Leftover, type Leftovers, removeLeftovers } from '../files/leftovers.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { count, printResult, table } from './output.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { withStore } from './with-store.ts';

const about = `
A crash, or a fault while files are added, can leave content and thumbnails that no file has, and copies in incoming. Servers,
workers and file add can go on meanwhile: what a file has is never removed.
Nothing is removed that was written in the last 24 hours, or after the last file was added that the database knows, so that the
database of another place removes nothing here.`;

const kinds = ['content', 'thumbnails', 'incoming'] as const;

type Found = Pick<Leftovers, (typeof kinds)[number]>;

/** Removes what no file has. */
export function filesSweepCommand(context: CliContext): Command {
  return reportingCommand('sweep', 'Find what is in the folder of files and no file has; with --delete, remove it.', [
    'files sweep',
    'files sweep --delete',
  ])
    .option('--delete', 'remove what is found; without it, nothing is changed')
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
                stoppable('What was removed before stays removed.', (signal) =>
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
        await printResult(context, options, result, () =>
          describe(told, found.tooRecent, total, removed !== undefined),
        );
      }),
    );
}

function sizeOf(leftovers: readonly Leftover[]): { files: number; bytes: number } {
  return { files: leftovers.length, bytes: leftovers.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function describe(told: Found, tooRecent: number, total: number, deleted: boolean): string {
  const sizes = kinds.map((kind) => ({ kind, ...sizeOf(told[kind]) }));
  const ending = deleted
    ? 'These were removed.'
    : total === 0
      ? 'Nothing is left over.'
      : 'Nothing was removed: add --delete to remove these.';
  return [
    table(
      ['LEFT OVER', 'FILES', 'BYTES'],
      sizes.map(({ kind, files, bytes }) => [kind, String(files), String(bytes)]),
    ),
    '',
    ending,
    ...(tooRecent === 0
      ? []
      : [`${count(tooRecent, 'file')} more that no file of a case has: too recent to be removed.`]),
  ].join('\n');
}
