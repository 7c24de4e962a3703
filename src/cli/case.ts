import type { Command } from 'commander';
import type { errors } from '../../generated/errors.ts';
import { type Case, describeCase } from '../domain/case.ts';
import { ConflictError, NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { identifier } from './arguments.ts';
import { caseImportCommand } from './case-import.ts';
import { commandGroup, ReportingCommand } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { count, fieldsOf, type LayOut } from './output.ts';

const example = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

export function caseCommand(context: CliContext): Command {
  const commands = [caseImportCommand, caseListCommand, showCommand, lockCommand, unlockCommand];
  return commandGroup(context, 'case', 'Manage cases', commands);
}

function showCommand(context: CliContext): Command {
  return oneCaseCommand(context, 'show', 'Show a case and its files. With --json, exactly as the API returns it.', {
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

interface CaseWork {
  work?: (store: Store, caseId: string) => Promise<void>;
  text: (found: Case, layOut: LayOut) => string;
}

function oneCaseCommand(context: CliContext, name: string, description: string, { work, text }: CaseWork): Command {
  return new ReportingCommand(context, name, description, [`case ${name} ${example}`])
    .argument('<case>', "the case's identifier", identifier)
    .onStore(async ({ store, report }, caseId: string) => {
      await work?.(store, caseId);
      const stored = await store.findCase(await store.findOwnerOfCase(caseId), caseId);
      if (!stored) throw new NotFoundError('case', caseId);
      const found = describeCase(stored);
      await report(found, (layOut) => text(found, layOut));
    });
}

function describe({ files, metadata, ...facts }: Case, layOut: LayOut): string {
  const overview = fieldsOf(layOut, { ...facts, metadata: JSON.stringify(metadata) });
  if (files.length === 0) return overview;
  const status = ['STATUS', 'analysis_status'] as const;
  const completed = ['COMPLETED', 'analysis_completed_at'] as const;
  const list = layOut(files, ['file_id', 'label', ['TYPE', 'mime_type'], 'uploaded_at', status, completed]);
  return `${overview}\n\n${count(files.length, 'file')}:\n${list}`;
}

function caseListCommand(context: CliContext): Command {
  const examples = [`case list --organisation ${example}`];
  return new ReportingCommand(context, 'list', 'List cases, newest first.', examples).onSelection(
    'cases',
    async ({ store, reportList }, selection) => {
      const cases = await store.listCases(selection);
      const ofWhom = selection.organisationId === undefined ? '' : ' for this organisation';
      const none = `No cases in ${store.name}${ofWhom}. Import some: document-analysis case import --help`;
      const files = ['FILES', 'total_files'] as const;
      await reportList(cases, none, ['case_id', 'organisation_id', 'label', 'created_at', 'locked_at', files]);
    },
  );
}

const alreadyLocked = 'request.cases.case.already-locked' satisfies keyof typeof errors;

/** Runs a change of a case. A locked case is reported with the API's own error code. */
export async function unlessLocked<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ConflictError) throw new OperatorError(`${alreadyLocked}: ${error.message}`);
    throw error;
  }
}
