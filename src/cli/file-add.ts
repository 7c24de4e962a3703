import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Config, ConfigError } from '../runtime/config.ts';
import { type AddedFile, addFiles, RefusedFilesError } from '../files/add-files.ts';
import { RefusedFileError } from '../files/intake.ts';
import { mediaTypes } from '../files/media-type.ts';
import { reportingCommand, identifier } from './arguments.ts';
import { baseUrlOf } from './base-url.ts';
import { unlessLocked } from './case-lock.ts';
import type { CliContext } from './context.ts';
import { CliError, fileFault } from './errors.ts';
import { printResult, count, printable, table } from './output.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { withStore } from './with-store.ts';

const labelCharacters = 255;
const shownRefusals = 20;

const acceptedFiles = `
A file's content, not its name, says what it is. Taken in are: ${Object.values(mediaTypes).join(', ')}.
All files are added or none. Each waits for its analysis then; document-analysis case show CASE tells how far it has come.

Environment variables:
  MAX_FILE_BYTES      the largest file that is taken in (67108864)
  THUMBNAIL_BASE_URL  where clients find the server that has the thumbnails (http://HOST:PORT)`;

/** Adds files to a case. */
export function fileAddCommand(context: CliContext): Command {
  return reportingCommand('add', 'Add files to a case, to be analysed.', [
    'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 invoice.pdf receipt.png',
    'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 scan-0042.pdf --label "Certificate of incorporation"',
  ])
    .argument('<case>', "the case's identifier", identifier)
    .argument('<file...>', 'the files')
    .option('--label <label>', "a name for people, if there is one file; without it, the file's own name", label)
    .addHelpText('after', acceptedFiles)
    .action((caseId: string, paths: string[], options: { label?: string; json?: boolean }, command: Command) => {
      if (options.label !== undefined && paths.length > 1)
        command.error('error: --label names one file: add the files one by one, or omit it');
      return withStore(context, command, async (store, config) => {
        const settings = { ...config.files, thumbnailBaseUrl: thumbnailBaseUrlOf(config) };
        const files = paths.map((path) => ({ path, label: options.label ?? labelOf(path) }));
        const progress = { doing: 'Adding', nouns: 'files', total: files.length, isLong: files.length > 1 };
        const added = await unlessLocked(async () => {
          // Before the files are read, which can take long.
          await store.requireUnlockedCase(caseId);
          return withProgress(context.stderr, progress, (onFile) =>
            stoppable('Nothing is added.', (signal) =>
              addFiles({ caseId, files }, { store, settings, now: context.now, onFile, signal }).catch(explainRefusal),
            ),
          );
        });
        await printResult(context, options, { case_id: caseId, files: added.map(shown) }, () =>
          describe(caseId, added),
        );
      });
    });
}

function label(text: string): string {
  const { length } = Array.from(text);
  if (length === 0 || length > labelCharacters)
    throw new InvalidArgumentError(`It must have 1 to ${labelCharacters} characters.`);
  return text;
}

/** The file's own name, without what could steer a terminal or turn the direction of a line. */
function labelOf(path: string): string {
  const name = basename(path).replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return Array.from(name).slice(0, labelCharacters).join('') || 'file';
}

function thumbnailBaseUrlOf({ files, host, port }: Config): string {
  if (files.thumbnailBaseUrl === undefined && port === 0)
    throw new ConfigError('THUMBNAIL_BASE_URL is missing: with PORT 0 nobody knows where the server will be');
  return files.thumbnailBaseUrl ?? baseUrlOf(host, port);
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof RefusedFilesError)) throw error;
  const { refusals } = error;
  const lines = refusals.slice(0, shownRefusals).map(({ path, reason }) => `${printable(path)}: ${reasonOf(reason)}.`);
  const more = refusals.length > shownRefusals ? [`... and ${refusals.length - shownRefusals} more`] : [];
  const verb = refusals.length === 1 ? 'is' : 'are';
  throw new CliError(
    [`Nothing is added: ${count(refusals.length, 'file')} ${verb} refused:`, ...lines, ...more].join('\n'),
  );
}

function reasonOf(reason: unknown): string {
  return reason instanceof RefusedFileError ? reason.message : (fileFault(reason) ?? String(reason));
}

function shown({ content_sha256: sha256, ...file }: AddedFile) {
  return { ...file, content_sha256: Buffer.from(sha256).toString('hex') };
}

function describe(caseId: string, added: AddedFile[]): string {
  const list = table(
    ['FILE', 'LABEL', 'TYPE', 'BYTES', 'THUMBNAIL'],
    added.map((file) => [file.file_id, file.label, file.mime_type, String(file.bytes), file.thumbnail_url]),
  );
  const generic = added.filter((file) => file.generic_thumbnail).length;
  const note =
    generic === 0
      ? ''
      : `\n\nThe content of ${count(generic, 'file')} could not be drawn: the thumbnail shows the media type alone.`;
  return `Added ${count(added.length, 'file')} to case ${caseId}:\n${list}${note}`;
}
