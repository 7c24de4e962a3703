import { basename } from 'node:path';
import type { Command } from 'commander';
import { type AddedFile, addFiles, type FileAddition, RefusedFilesError } from '../files/add-files.ts';
import { RefusedFileError } from '../files/intake.ts';
import { mediaTypes } from '../files/media-type.ts';
import type { Store } from '../store/store.ts';
import { identifier, PathArgument, reportingCommand } from './arguments.ts';
import { unlessLocked } from './case-lock.ts';
import type { CliContext } from './context.ts';
import { CliError, fileFault } from './errors.ts';
import { labelCharacters, labelOption, thumbnailBaseUrlOf } from './file-facts.ts';
import { checkUpload, unlessUploaded, type UploadOptions, uploadOf } from './file-upload.ts';
import { printResult, count, type LayOut } from './output.ts';
import { printable } from './printable.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';
import { withStore } from './with-store.ts';

const shownRefusals = 20;

const acceptedFiles = `
Accepted types: ${Object.values(mediaTypes).join(', ')}. The type is detected from the content, not from the name.
Either all files are added or none. A running server analyses them; follow the progress with: document-analysis case show CASE
With --for, the file keeps its label and gets the type, thumbnail and upload time of the content.

Environment variables:
  MAX_FILE_BYTES      the largest accepted file, in bytes (67108864)
  THUMBNAIL_BASE_URL  the base address of thumbnails, as clients see it (http://HOST:PORT)`;

type AddOptions = UploadOptions & { json?: boolean };

/** Adds files to a case, or uploads the content of an announced file. */
export function fileAddCommand(context: CliContext): Command {
  return reportingCommand(
    'add',
    'Add files to a case for analysis, or upload the content of a file that `file expect` created.',
    [
      'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 invoice.pdf receipt.png',
      'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 scan-0042.pdf --label "Certificate of incorporation"',
      'file add --for 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 invoice.pdf',
    ],
  )
    .usage('[options] (<case> <file...> | --for <id> <file>)')
    .argument('[case]', "the case's identifier; omit it with --for")
    .addArgument(new PathArgument('[file...]', 'the files to add'))
    .option('--label <label>', 'the name shown for the file, if you add only one (the name of the file)', labelOption)
    .option('--for <id>', 'upload the content of this file, which `file expect` created', identifier)
    .option('--organisation <id>', 'with --for: fail if the file belongs to another organisation', identifier)
    .addHelpText('after', acceptedFiles)
    .action((first: string | undefined, others: string[], options: AddOptions, command: Command) => {
      const order = orderOf(command, first === undefined ? [] : [first, ...others], options);
      return withStore(context, command, async (store, config) => {
        const settings = { ...config.files, thumbnailBaseUrl: thumbnailBaseUrlOf(config) };
        const addition = await order(store);
        const { caseId, files } = addition;
        const progress = { doing: 'Adding', nouns: 'files', total: files.length, isLong: files.length > 1 };
        const added = await unlessLocked(async () => {
          // Fail before reading the files, which can take long.
          await store.requireUnlockedCase(caseId);
          return withProgress(context.stderr, progress, (onFile) =>
            stoppable('Nothing was added.', (signal) =>
              unlessUploaded(() => addFiles(addition, { store, settings, now: context.now, onFile, signal })).catch(
                explainRefusal,
              ),
            ),
          );
        });
        await printResult(context, options, { case_id: caseId, files: added.map(shown) }, (layOut) =>
          describe(caseId, added, layOut),
        );
      });
    });
}

/** Interprets the arguments and options. Ends the command if they contradict each other. */
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
    command.error('error: --label applies to one file only: add the files one at a time, or omit --label');
  const files = paths.map((path) => ({ path, label: label ?? labelOf(path) }));
  return () => ({ caseId: identifier(first), files });
}

/** The file's base name, without terminal control characters and text direction characters. */
function labelOf(path: string): string {
  const name = basename(path).replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return Array.from(name).slice(0, labelCharacters).join('') || 'file';
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof RefusedFilesError)) throw error;
  const { refusals } = error;
  const lines = refusals.slice(0, shownRefusals).map(({ path, reason }) => `${printable(path)}: ${reasonOf(reason)}.`);
  const more = refusals.length > shownRefusals ? [`... and ${refusals.length - shownRefusals} more`] : [];
  const verb = refusals.length === 1 ? 'was' : 'were';
  throw new CliError(
    [`Nothing was added: ${count(refusals.length, 'file')} ${verb} not accepted:`, ...lines, ...more].join('\n'),
  );
}

function reasonOf(reason: unknown): string {
  return reason instanceof RefusedFileError ? reason.message : (fileFault(reason) ?? String(reason));
}

function shown({ content_sha256: sha256, ...file }: AddedFile) {
  return { ...file, content_sha256: Buffer.from(sha256).toString('hex') };
}

function describe(caseId: string, added: AddedFile[], layOut: LayOut): string {
  const list = layOut(
    ['FILE', 'LABEL', 'TYPE', 'BYTES', 'THUMBNAIL'],
    added.map((file) => [file.file_id, file.label, file.mime_type, String(file.bytes), file.thumbnail_url]),
  );
  const generic = added.filter((file) => file.generic_thumbnail).length;
  const note =
    generic === 0
      ? ''
      : `\n\nThe content of ${count(generic, 'file')} could not be drawn, so the thumbnail only shows the media type.`;
  return `Added ${count(added.length, 'file')} to case ${caseId}:\n${list}${note}`;
}
