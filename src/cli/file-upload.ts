import type { Command } from 'commander';
import type { FileAddition } from '../files/add-files.ts';
import { NotAwaitedError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { CliError } from './errors.ts';

/** The options of `file add --for`. */
export interface UploadOptions {
  for?: string;
  organisation?: string;
  label?: string;
}

/** Ends the command if its arguments and options contradict each other. */
export function checkUpload(command: Command, paths: readonly string[], options: UploadOptions): void {
  if (options.for === undefined && options.organisation !== undefined)
    command.error('error: --organisation can only be used with --for');
  if (options.for === undefined) return;
  if (options.label !== undefined)
    command.error('error: --label cannot be used with --for: the file already has a label');
  if (paths.length !== 1) command.error('error: --for takes exactly one path, that of the content');
}

/**
 * Prepares the upload of a file's content.
 * @throws {NotFoundError} if there is no such file
 * @throws {CliError} if the file belongs to another organisation, or is not waiting for its upload
 */
export async function uploadOf(
  store: Store,
  { fileId, path, organisationId }: { fileId: string; path: string; organisationId: string | undefined },
): Promise<FileAddition> {
  const file = await store.readAnalysis(fileId);
  if (organisationId !== undefined && organisationId !== file.organisation_id)
    throw new CliError(`The file ${fileId} does not belong to organisation ${organisationId}. Nothing was added.`);
  if (file.analysis_status !== 'waiting_for_upload') throw notAwaited(fileId);
  return { caseId: file.case_id, files: [{ path, label: file.label }], awaitedFileId: fileId };
}

/** Runs an upload. Content that arrived concurrently is reported as content that was already there. */
export async function unlessUploaded<T>(upload: () => Promise<T>): Promise<T> {
  try {
    return await upload();
  } catch (error) {
    throw error instanceof NotAwaitedError ? notAwaited(error.fileId) : error;
  }
}

function notAwaited(fileId: string): CliError {
  return new CliError(
    `The file ${fileId} is not waiting for an upload. Nothing was added. ` +
      `See its status: document-analysis analysis show ${fileId}. To add a new file: document-analysis file add CASE PATH`,
  );
}
