import type { Command } from 'commander';
import { readCases } from '../domain/case-import.ts';
import { reportingCommand, identifier } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { printResult, count } from './output.ts';
import { withProgress } from './progress.ts';
import { nameOfInput, readJsonArray } from './read-json.ts';
import { readOrganisation, withStore } from './with-store.ts';

const shownFaults = 20;

const fileFormat = `
FILE holds a JSON array of cases in the form of the API's own responses; fields that follow from others may be omitted:
  [{ "label": "Supplier onboarding", "created_at": "2026-03-02T09:15:00Z", "files": [
     { "label": "invoice.pdf", "uploaded_at": "2026-03-02T09:16:00Z", "mime_type": "application/pdf",
       "thumbnail_url": "https://files.example/1.png", "analysis_status": "waiting_for_analysis" }] }]
All cases are imported or none. A case that exists already is refused; files are not added to it.`;

/** Imports cases from a file. */
export function caseImportCommand(context: CliContext): Command {
  return reportingCommand('import', 'Import cases with their files.', [
    'case import cases.json --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10',
    'case show CASE --json | jq --slurp . | document-analysis case import - --region ca --organisation ID',
  ])
    .argument('<file>', 'a JSON file, or - for the standard input')
    .requiredOption('--organisation <id>', 'the organisation that gets the cases', identifier)
    .addHelpText('after', fileFormat)
    .action((file: string, options: { organisation: string; json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const organisation = await readOrganisation(store, options.organisation);
        const outcome = readCases(await readJsonArray(file, context.stdin));
        if ('faults' in outcome) throw new CliError(describeFaults(nameOfInput(file), outcome.faults));
        const { cases } = outcome;
        const files = cases.reduce((sum, imported) => sum + imported.files.length, 0);
        await withProgress(context.stderr, { doing: 'Importing', nouns: 'files', total: files }, (onFile) =>
          store.importCases(organisation.organisation_id, cases, onFile),
        );
        const result = {
          organisation_id: organisation.organisation_id,
          imported_cases: cases.length,
          imported_files: files,
          case_ids: cases.map((imported) => imported.case_id),
        };
        await printResult(
          context,
          options,
          result,
          () =>
            `Imported ${count(cases.length, 'case')} with ${count(files, 'file')} into organisation ${organisation.organisation_id}.`,
        );
      }),
    );
}

function describeFaults(name: string, faults: { place: string; message: string }[]): string {
  const shown = faults.slice(0, shownFaults).map(({ place, message }) => `${place}: ${message}`);
  const more = faults.length > shownFaults ? [`... and ${faults.length - shownFaults} more`] : [];
  return [`Nothing is imported: ${name} has ${count(faults.length, 'fault')}:`, ...shown, ...more].join('\n');
}
