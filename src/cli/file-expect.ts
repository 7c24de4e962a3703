import { forRegion } from '../domain/region.ts';
import type { Command } from 'commander';
import { unknownMediaType } from '../domain/case.ts';
import { expectFile } from '../files/add-files.ts';
import { reportingCommand, identifier } from './arguments.ts';
import { unlessLocked } from './case-lock.ts';
import type { CliContext } from './context.ts';
import { labelOption, thumbnailBaseUrlOf } from './file-facts.ts';
import { printResult } from './output.ts';
import { printable } from './printable.ts';
import { withStore } from './with-store.ts';

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
        const thumbnailBaseUrl = thumbnailBaseUrlOf(config);
        const file = await unlessLocked(() =>
          expectFile({ caseId, label }, { store, thumbnailBaseUrl, now: context.now }),
        );
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
