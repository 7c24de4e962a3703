import { forRegion } from '../domain/region.ts';
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { newThumbnailName, thumbnailsPath } from '../files/thumbnail-name.ts';
import { reportingCommand, identifier } from './arguments.ts';
import { unlessLocked } from './case-lock.ts';
import type { CliContext } from './context.ts';
import { labelOption, thumbnailBaseUrlOf } from './file-facts.ts';
import { printResult } from './output.ts';
import { printable } from './printable.ts';
import { withStore } from './with-store.ts';

/** The media type of unknown content (RFC 2046, section 4.5.1). */
const unknownMediaType = 'application/octet-stream';

const note = `
The file is waiting_for_upload, and its case incomplete, until you upload the content: document-analysis file add --for FILE PATH
Until then its type is ${unknownMediaType} and there is nothing at its thumbnail_url.`;

/** Announces a file of a case. */
export function fileExpectCommand(context: CliContext): Command {
  return reportingCommand('expect', 'Create a file whose content will be uploaded later.', [
    'file expect 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 invoice.pdf',
  ])
    .argument('<case>', "the case's identifier", identifier)
    .argument('<name>', 'the name shown for the file', labelOption)
    .addHelpText('after', note)
    .action((caseId: string, label: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store, config) => {
        const at = context.now().toISOString();
        const file = {
          file_id: randomUUID(),
          label,
          uploaded_at: at,
          thumbnail_url: thumbnailBaseUrlOf(config) + thumbnailsPath + newThumbnailName(),
          mime_type: unknownMediaType,
        };
        await unlessLocked(() => store.expectFile({ caseId, file, at }));
        const result = { case_id: caseId, ...file, analysis_status: 'waiting_for_upload' };
        await printResult(
          context,
          options,
          result,
          () =>
            `The file ${file.file_id} (${printable(label)}) of case ${caseId} is waiting for its content. Upload it with:\n` +
            forRegion(`document-analysis file add --for ${file.file_id} PATH`, config.region),
        );
      }),
    );
}
