import { DocumentError, loadDocument } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { UsageError } from '../run/errors.ts';
import type { ConfiguredChecks } from './configuration.ts';
import { type Output, print, printable } from './run-command.ts';
import { schemaFaults } from './validated-file.ts';
import { withGivenValues } from './given-values.ts';

/**
 * The document to check against, by default the project's own.
 * @param stderr receives warnings about parts of it that are left out
 * @param configured the configuration file's values for its operations
 * @throws {UsageError} if the document of --openapi is not supported, or lacks something that the configuration refers
 *   to
 */
export async function documentToCheck(
  file: string | undefined,
  stderr: Output,
  configured?: ConfiguredChecks,
): Promise<ApiDocument> {
  if (file === undefined) return ownDocument;
  try {
    const document = await loadDocument(file);
    for (const warning of document.warnings ?? []) await print(stderr, `warning: ${printable(warning)}\n`);
    const faults = schemaFaults(document);
    if (faults.length > 0) throw new UsageError(faults.map((fault) => `${file}: ${fault}`).join('\n'));
    return configured ? withGivenValues(document, configured) : document;
  } catch (error) {
    throw error instanceof DocumentError ? new UsageError(error.message) : error;
  }
}
