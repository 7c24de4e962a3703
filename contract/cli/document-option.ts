import { DocumentError, loadDocument } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { UsageError } from '../run/usage-error.ts';

/** @throws {UsageError} if the file of --openapi cannot be modelled; without one it is the project's own document */
export async function documentToCheck(file: string | undefined): Promise<ApiDocument> {
  if (file === undefined) return ownDocument;
  try {
    return await loadDocument(file);
  } catch (error) {
    throw error instanceof DocumentError ? new UsageError(error.message) : error;
  }
}
