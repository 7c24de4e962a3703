import { Command } from 'commander';
import { type Case, describeCase } from '../domain/case.ts';
import { ConflictError, NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { identifier, reportingCommand, wholeNumber } from './arguments.ts';
import { caseImportCommand } from './case-import.ts';
import type { CliContext } from './context.ts';
import { count, type LayOut, printResult } from './output.ts';
import { readOrganisation, withStore } from './with-store.ts';
import { forRegion } from '../domain/region.ts';
import type { errors } from '../../generated/errors.ts';
import { CliError } from './errors.ts';

const example = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

/** The commands for cases. */
export function caseCommand(context: CliContext): Command {
  return new Command('case')
    .description('Manage cases')
    .addCommand(caseImportCommand(context))
    .addCommand(caseListCommand(context))
    .addCommand(showCommand(context))
    .addCommand(lockCommand(context))
    .addCommand(unlockCommand(context));
}

function showCommand(context: CliContext): Command {
  return oneCaseCommand(context, 'show', 'Show a case and its files. With --json, exactly as the API returns it.', {
    work: () => Promise.resolve(),
    text: describe,
  });
}

function lockCommand(context: CliContext): Command {
  return oneCaseCommand(context, 'lock', 'Lock a case, so that no files can be added. Fails if it is already locked.', {
    work: (store, caseId) => unlessLocked(() => store.lockCase(caseId, context.now().toISOString())),
    text: (locked) => `Case ${locked.case_id} is locked.`,
  });
}

function unlockCommand(context: CliContext): Command {
  return oneCaseCommand(context, 'unlock', 'Unlock a case.', {
    work: (store, caseId) => store.unlockCase(caseId, context.now().toISOString()),
    text: (unlocked) => `Case ${unlocked.case_id} is not locked.`,
  });
}

function oneCaseCommand(
  context: CliContext,
  name: string,
  description: string,
  {
    work,
    text,
  }: { work: (store: Store, caseId: string) => Promise<void>; text: (found: Case, layOut: LayOut) => string },
): Command {
  return reportingCommand(name, description, [`case ${name} ${example}`])
    .argument('<case>', "the case's identifier", identifier)
    .action((caseId: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        await work(store, caseId);
        const found = await readCase(store, caseId);
        await printResult(context, options, found, (layOut) => text(found, layOut));
      }),
    );
}

async function readCase(store: Store, caseId: string): Promise<Case> {
  const found = await store.findCase(await store.findOwnerOfCase(caseId), caseId);
  if (!found) throw new NotFoundError('case', caseId);
  return describeCase(found);
}

function describe({ files, metadata, ...facts }: Case, layOut: LayOut): string {
  const rows = Object.entries({ ...facts, metadata: JSON.stringify(metadata) });
  const overview = layOut(
    ['FIELD', 'VALUE'],
    rows.map(([name, value]) => [name, value === null ? null : String(value)]),
  );
  if (files.length === 0) return overview;
  const list = layOut(
    ['FILE', 'LABEL', 'TYPE', 'UPLOADED', 'STATUS', 'COMPLETED'],
    files.map((file) => [
      file.file_id,
      file.label,
      file.mime_type,
      file.uploaded_at,
      file.analysis_status,
      file.analysis_completed_at,
    ]),
  );
  return `${overview}\n\n${count(files.length, 'file')}:\n${list}`;
}

interface ListOptions {
  organisation?: string;
  limit: number;
  json?: boolean;
}

/** Lists cases without their files. */
function caseListCommand(context: CliContext): Command {
  return reportingCommand('list', 'List cases, newest first.', [
    'case list --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10',
  ])
    .option('--organisation <id>', 'only the cases of this organisation', identifier)
    .option('--limit <number>', 'the maximum number of cases', wholeNumber(1, 100_000), 100)
    .action((options: ListOptions, command: Command) =>
      withStore(context, command, async (store, { region }) => {
        const { organisation: organisationId, limit } = options;
        if (organisationId !== undefined) await readOrganisation(store, organisationId);
        const cases = await store.listCases({ organisationId, limit });
        await printResult(context, options, cases, (layOut) =>
          cases.length === 0
            ? forRegion(
                `No cases in ${store.name}${organisationId === undefined ? '' : ' for this organisation'}. ` +
                  'Import some: document-analysis case import --help',
                region,
              )
            : layOut(
                ['CASE', 'ORGANISATION', 'LABEL', 'CREATED', 'LOCKED', 'FILES'],
                cases.map((overview) => [
                  overview.case_id,
                  overview.organisation_id,
                  overview.label,
                  overview.created_at,
                  overview.locked_at,
                  String(overview.total_files),
                ]),
              ),
        );
      }),
    );
}

const alreadyLocked = 'request.cases.case.already-locked' satisfies keyof typeof errors;

/** Runs a change of a case. A locked case is reported with the API's own error code. */
export async function unlessLocked<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ConflictError) throw new CliError(`${alreadyLocked}: ${error.message}`);
    throw error;
  }
}
