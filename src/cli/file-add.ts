import { basename } from 'node:path';
import type { Command } from 'commander';
import { type AddedFile, addFiles, type FileAddition, RefusedFilesError } from '../files/add-files.ts';
import { RefusedFileError } from '../files/intake.ts';
import { mediaTypes } from '../files/media-type.ts';
import type { Store } from '../store/store.ts';
import { reportingCommand, identifier } from './arguments.ts';
import { unlessLocked } from './case-lock.ts';
import type { CliContext } from './context.ts';
import { CliError, fileFault } from './errors.ts';
import { labelCharacters, labelOption, thumbnailBaseUrlOf } from './file-facts.ts';
import { checkUpload, unlessUploaded, type UploadOptions, uploadOf } from './file-upload.ts';
import { printResult, count, printable, table } from './output.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { withStore } from './with-store.ts';

const shownRefusals = 20;

const acceptedFiles = `
A file's content, not its name, says what it is. Taken in are: ${Object.values(mediaTypes).join(', ')}.
With --for, the file keeps its label; its type, thumbnail and time of upload become those of the content.
All files are added or none. Each waits for its analysis then; document-analysis case show CASE tells how far it has come.

Environment variables:
  MAX_FILE_BYTES      the largest file that is taken in (67108864)
  THUMBNAIL_BASE_URL  where clients find the server that has the thumbnails (http://HOST:PORT)`;

type AddOptions = UploadOptions & { json?: boolean };

/** Adds files to a case, or uploads the content of one that waits for it. */
export function fileAddCommand(context: CliContext): Command {
  return reportingCommand(
    'add',
    'Add files to a case, to be analysed, or upload the content of a file that waits for it.',
    [
      'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 invoice.pdf receipt.png',
      'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 scan-0042.pdf --label "Certificate of incorporation"',
      'file add --for 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 invoice.pdf',
    ],
  )
    .usage('[options] (<case> <file...> | --for <id> <file>)')
    .argument('[case]', "the case's identifier, unless --for names a file of it")
    .argument('[file...]', 'the files')
    .option('--label <label>', "a name for people, if there is one file; without it, the file's own name", labelOption)
    .option('--for <id>', 'upload the content of this file, which file expect has created', identifier)
    .option('--organisation <id>', 'with --for, refuse a file of another organisation', identifier)
    .addHelpText('after', acceptedFiles)
    .action((first: string | undefined, others: string[], options: AddOptions, command: Command) => {
      const order = orderOf(command, first === undefined ? [] : [first, ...others], options);
      return withStore(context, command, async (store, config) => {
        const settings = { ...config.files, thumbnailBaseUrl: thumbnailBaseUrlOf(config) };
        const addition = await order(store);
        const { caseId, files } = addition;
        const progress = { doing: 'Adding', nouns: 'files', total: files.length, isLong: files.length > 1 };
        const added = await unlessLocked(async () => {
          // Before the files are read, which can take long.
          await store.requireUnlockedCase(caseId);
          return withProgress(context.stderr, progress, (onFile) =>
            stoppable('Nothing is added.', (signal) =>
              unlessUploaded(() => addFiles(addition, { store, settings, now: context.now, onFile, signal })).catch(
                explainRefusal,
              ),
            ),
          );
        });
        await printResult(context, options, { case_id: caseId, files: added.map(shown) }, () =>
          describe(caseId, added),
        );
      });
    });
}

/** What the words of the command ask for. Ends the command if they make no sense together. */
function orderOf(
  command: Command,
  words: string[],
  options: AddOptions,
): (store: Store) => FileAddition | Promise<FileAddition> {
  checkUpload(command, words, options);
  const { for: fileId, organisation: organisationId, label } = options;
  const [first = '', ...paths] = words;
  if (fileId !== undefined) return (store) => uploadOf(store, { fileId, path: first, organisationId });
  if (words.length === 0) command.error("error: missing required argument 'case'");
  if (paths.length === 0) command.error("error: missing required argument 'file'");
  if (label !== undefined && paths.length > 1)
    command.error('error: --label names one file: add the files one by one, or omit it');
  const files = paths.map((path) => ({ path, label: label ?? labelOf(path) }));
  return () => ({ caseId: identifier(first), files });
}

/** The file's own name, without what could steer a terminal or turn the direction of a line. */
function labelOf(path: string): string {
  const name = basename(path).replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return Array.from(name).slice(0, labelCharacters).join('') || 'file';
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
