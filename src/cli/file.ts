import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { unknownMediaType } from '../domain/case.ts';
import { forRegion } from '../domain/region.ts';
import { type AddedFile, addFiles, expectFile, type FileAddition, RefusedFilesError } from '../files/add-files.ts';
import { RefusedFileError } from '../files/intake.ts';
import { mediaTypes } from '../files/media-type.ts';
import { type Config, ConfigError } from '../runtime/config.ts';
import { NotAwaitedError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { baseUrlOf, identifier, PathArgument } from './arguments.ts';
import { unlessLocked } from './case.ts';
import { commandGroup, ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { fileFault, printable } from './errors.ts';
import { count, type LayOut } from './output.ts';
import { withProgress } from './progress.ts';
import { stoppable } from './stop-signal.ts';

export function fileCommand(context: CliContext): Command {
  return commandGroup(context, 'file', 'Add files to cases', [fileAddCommand, fileExpectCommand]);
}

const labelCharacters = 255;
const shownRefusals = 20;

const acceptedFiles = `
Accepted types: ${Object.values(mediaTypes).join(', ')}. The type is detected from the content, not from the name.
Either all files are added or none. A running server analyses them; follow the progress with: document-analysis case show CASE
With --for, the file keeps its label and gets the type, thumbnail and upload time of the content.

Environment variables:
  MAX_FILE_BYTES      the largest accepted file, in bytes (67108864)
  THUMBNAIL_BASE_URL  the base address of thumbnails, as clients see it (http://HOST:PORT)`;

interface AddOptions {
  for?: string;
  organisation?: string;
  label?: string;
}

function fileAddCommand(context: CliContext): Command {
  const description = 'Add files to a case for analysis, or upload the content of a file that `file expect` created.';
  return new ReportingCommand(context, 'add', description, [
    'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 invoice.pdf receipt.png',
    'file add 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 scan-0042.pdf --label "Certificate of incorporation"',
    'file add --for 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 invoice.pdf',
  ])
    .usage('[options] (<case> <file...> | --for <id> <file>)')
    .argument('[case]', "the case's identifier; omit it with --for")
    .addArgument(new PathArgument('[file...]', 'the files to add'))
    .option('--label <label>', 'the name shown for the file, if you add only one (the name of the file)', labelOption)
    .option('--for <id>', 'upload the content of this file, which `file expect` created', identifier)
    .option('--organisation <id>', 'with --for: fail if the file belongs to another organisation', identifier)
    .addHelpText('after', acceptedFiles)
    .hook('preAction', refuseContradiction)
    .onStore(async (run: StoreRun<AddOptions>, first: string, paths: string[]) => {
      const { store, config, options, report } = run;
      const settings = { ...config.files, thumbnailBaseUrl: thumbnailBaseUrlOf(config) };
      const labelled = paths.map((path) => ({ path, label: options.label ?? labelOf(path) }));
      const addition: FileAddition =
        options.for === undefined
          ? { caseId: identifier(first), files: labelled }
          : await uploadOf(store, { fileId: options.for, path: first, organisationId: options.organisation });
      const { caseId, files } = addition;
      const progress = { doing: 'Adding', nouns: 'files', total: files.length, isLong: files.length > 1 };
      const added = await unlessLocked(async () => {
        // Fail before reading the files, which can take long.
        await store.requireUnlockedCase(caseId);
        return withProgress(context.stderr, progress, (onFile) =>
          stoppable('Nothing was added.', (signal) =>
            addFiles(addition, { store, settings, now: context.now, onFile, signal }).catch(explainRefusal),
          ),
        );
      });
      await report({ case_id: caseId, files: added.map(shown) }, (layOut) => describe(caseId, added, layOut));
    });
}

function refuseContradiction(command: Command): void {
  const { for: fileId, organisation, label } = command.opts<AddOptions>();
  const { length } = command.args;
  if (fileId !== undefined) {
    if (label !== undefined) command.error('error: --label cannot be used with --for: the file already has a label');
    if (length !== 1) command.error('error: --for takes exactly one path, that of the content');
    return;
  }
  if (organisation !== undefined) command.error('error: --organisation can only be used with --for');
  if (length === 0) command.error("error: missing required argument 'case'");
  if (length === 1) command.error("error: missing required argument 'file'");
  if (label !== undefined && length > 2)
    command.error('error: --label applies to one file only: add the files one at a time, or omit --label');
}

function labelOf(path: string): string {
  const name = basename(path).replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return Array.from(name).slice(0, labelCharacters).join('') || 'file';
}

function explainRefusal(error: unknown): never {
  // Content that arrived concurrently is reported as content that was already there.
  if (error instanceof NotAwaitedError) throw notAwaited(error.fileId);
  if (!(error instanceof RefusedFilesError)) throw error;
  const { refusals } = error;
  const lines = refusals.slice(0, shownRefusals).map(({ path, reason }) => `${printable(path)}: ${reasonOf(reason)}.`);
  const more = refusals.length > shownRefusals ? [`... and ${refusals.length - shownRefusals} more`] : [];
  const verb = refusals.length === 1 ? 'was' : 'were';
  throw new OperatorError(
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
  const list = layOut(added, ['file_id', 'label', ['TYPE', 'mime_type'], 'bytes', ['THUMBNAIL', 'thumbnail_url']]);
  const generic = added.filter((file) => file.generic_thumbnail).length;
  const note =
    generic === 0
      ? ''
      : `\n\nThe content of ${count(generic, 'file')} could not be drawn, so the thumbnail only shows the media type.`;
  return `Added ${count(added.length, 'file')} to case ${caseId}:\n${list}${note}`;
}

const note = `
The file is waiting_for_upload, and its case incomplete, until you upload the content: document-analysis file add --for FILE PATH
Until then its type is ${unknownMediaType} and there is nothing at its thumbnail_url.`;

function fileExpectCommand(context: CliContext): Command {
  const examples = ['file expect 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 invoice.pdf'];
  return new ReportingCommand(context, 'expect', 'Create a file whose content will be uploaded later.', examples)
    .argument('<case>', "the case's identifier", identifier)
    .argument('<name>', 'the name shown for the file', labelOption)
    .addHelpText('after', note)
    .onStore(async ({ store, config, report }, caseId: string, label: string) => {
      const dependencies = { store, thumbnailBaseUrl: thumbnailBaseUrlOf(config), now: context.now };
      const file = await unlessLocked(() => expectFile({ caseId, label }, dependencies));
      const upload = forRegion(`document-analysis file add --for ${file.file_id} PATH`, config.region);
      const text = `The file ${file.file_id} (${printable(label)}) of case ${caseId} is waiting for its content. Upload it with:\n${upload}`;
      await report({ case_id: caseId, ...file, analysis_status: 'waiting_for_upload' }, () => text);
    });
}

/**
 * Prepares the upload of a file's content. @throws {NotFoundError} if there is no such file
 * @throws {OperatorError} if the file belongs to another organisation, or is not waiting for its upload
 */
async function uploadOf(
  store: Store,
  { fileId, path, organisationId }: { fileId: string; path: string; organisationId: string | undefined },
): Promise<FileAddition> {
  const file = await store.readAnalysis(fileId);
  if (organisationId !== undefined && organisationId !== file.organisation_id)
    throw new OperatorError(`The file ${fileId} does not belong to organisation ${organisationId}. Nothing was added.`);
  if (file.analysis_status !== 'waiting_for_upload') throw notAwaited(fileId);
  return { caseId: file.case_id, files: [{ path, label: file.label }], awaitedFileId: fileId };
}

function notAwaited(fileId: string): OperatorError {
  return new OperatorError(
    `The file ${fileId} is not waiting for an upload. Nothing was added. ` +
      `See its status: document-analysis analysis show ${fileId}. To add a new file: document-analysis file add CASE PATH`,
  );
}

function labelOption(text: string): string {
  const { length } = Array.from(text);
  if (length === 0 || length > labelCharacters)
    throw new InvalidArgumentError(`It must have 1 to ${labelCharacters} characters.`);
  return text;
}

/** The base URL of thumbnails. @throws {ConfigError} if the configuration does not determine it */
function thumbnailBaseUrlOf({ files, host, port }: Config): string {
  if (files.thumbnailBaseUrl === undefined && port === 0)
    throw new ConfigError('THUMBNAIL_BASE_URL is required when PORT is 0, because the port of the server is unknown');
  return files.thumbnailBaseUrl ?? baseUrlOf(host, port);
}
