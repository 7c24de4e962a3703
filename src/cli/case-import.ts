import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { importableStatuses, unknownMediaType } from '../domain/case.ts';
import { CaseReader, Faults, MissingSchemaError } from '../domain/case-import.ts';
import type { StagedCases } from '../store/staged-cases.ts';
import { identifier, PathArgument, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { printResult, count } from './output.ts';
import { nameOfInput } from './input-name.ts';
import { withProgress } from './progress.ts';
import { readCases } from './read-cases.ts';
import { readOrganisation, withStore } from './with-store.ts';

const shownFaults = 20;
const longBytes = 10_000_000;

const fileFormat = `
FILE contains a JSON array of cases, in the form of the API's responses. Fields that can be derived may be omitted:
  [{ "label": "Supplier onboarding", "created_at": "2026-03-02T09:15:00Z", "files": [
     { "label": "invoice.pdf", "uploaded_at": "2026-03-02T09:16:00Z", "mime_type": "application/pdf",
       "thumbnail_url": "https://files.example/5b0c7f2e91d84a36c0e7.webp",
       "analysis_status": "analysis_complete", "analysis_completed_at": "2026-03-02T09:18:30Z" }] }]
A file is ${importableStatuses.join(', ')}: it comes without content, so it is never analysed. Its
thumbnail_url must not contain its file_id. While it is waiting_for_upload, its type is ${unknownMediaType}.
Either all cases are imported or none. A case that already exists is refused, not updated.`;

/** Imports cases from a file. */
export function caseImportCommand(context: CliContext): Command {
  return reportingCommand('import', 'Import cases and their files.', [
    'case import cases.json --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10',
    'case show CASE --json | jq --slurp . | document-analysis case import - --region ca --organisation ID',
  ])
    .addArgument(new PathArgument('<file>', 'a JSON file, or - to read standard input'))
    .requiredOption('--organisation <id>', 'the organisation that will own the cases', identifier)
    .addHelpText('after', fileFormat)
    .action((file: string, options: { organisation: string; json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const { organisation_id: organisationId } = await readOrganisation(store, options.organisation);
        const { StagedCases } = await import('../store/staged-cases.ts');
        const staged = new StagedCases();
        try {
          await stage(file, context, staged);
          await withProgress(context.stderr, { doing: 'Importing', nouns: 'files', total: staged.files }, (onFile) =>
            store.importCases(organisationId, staged, onFile),
          );
          const result = {
            organisation_id: organisationId,
            imported_cases: staged.cases,
            imported_files: staged.files,
            ...(options.json ? { case_ids: Array.from(staged, (imported) => imported.case_id) } : {}),
          };
          const text = `Imported ${count(staged.cases, 'case')} with ${count(staged.files, 'file')} into organisation ${organisationId}.`;
          await printResult(context, options, result, () => text);
        } finally {
          staged.close();
        }
      }),
    );
}

/** Reads and checks all cases before the first is stored. @throws {CliError} with a list of their faults */
async function stage(file: string, context: CliContext, staged: StagedCases): Promise<void> {
  const faults = new Faults(shownFaults);
  const reader = new CaseReader(staged, faults);
  const total = await sizeOf(file);
  await withProgress(
    context.stderr,
    { doing: 'Reading', nouns: 'bytes', total, isLong: total > longBytes },
    (onBytes) => readCases(file, context.stdin, reader, onBytes),
  ).catch((error: unknown) => {
    const { code, message } = error as Error & { code?: string };
    if (error instanceof MissingSchemaError) throw new CliError(message);
    if (code?.startsWith('SQLITE_') !== true) throw error;
    throw new CliError(
      `Nothing was imported: the temporary file cannot be written: ${message}. ` +
        'Free disk space, or set TMPDIR to another folder.',
    );
  });
  for (const { place, message } of staged.repetitions()) faults.add(place, message);
  if (faults.count > 0) throw new CliError(describeFaults(nameOfInput(file), faults));
}

/** The size in bytes; 0 if unknown. */
async function sizeOf(file: string): Promise<number> {
  return file === '-' ? 0 : ((await stat(file).catch(() => undefined))?.size ?? 0);
}

function describeFaults(name: string, { count: total, shown }: Faults): string {
  const lines = shown.map(({ place, message }) => `${place}: ${message}`);
  const more = total > shown.length ? [`... and ${total - shown.length} more`] : [];
  return [`Nothing was imported: ${name} has ${count(total, 'fault')}:`, ...lines, ...more].join('\n');
}
