import type { FilesToAdd } from '../analysis-store.ts';
import { ConflictError, ContentSweptError, NotFoundError } from '../errors.ts';
import { tables } from '../tables.ts';
import type { Query } from './connection.ts';
import { type Placed, refuseTaken, rowsOf } from './import-cases.ts';
import { columnsOf, insertRows, rowOf } from './insert-rows.ts';
import { shareContents } from './leftovers.ts';
import { prepared } from './statement.ts';

const find = prepared('SELECT organisation_id, locked_at FROM case_record WHERE case_id = $1');
// Locking the case and other additions to it wait here.
const touch = prepared(
  'UPDATE case_record SET updated_at = $1 WHERE case_id = $2 RETURNING organisation_id, locked_at',
);
const insertFiles = insertRows(tables.caseFile, 'ON CONFLICT DO NOTHING RETURNING file_id AS id');
const insertAnalysis = prepared(
  'INSERT INTO analysis (file_id, organisation_id, uploaded_at, content_sha256) VALUES ($1, $2, $3, $4)',
);

interface CaseRow {
  organisation_id: string;
  locked_at: string | null;
}

/** @throws {NotFoundError} or {ConflictError} if files cannot be added to the case */
export async function requireUnlockedCase(query: Query, caseId: string): Promise<void> {
  const { rows } = await query<CaseRow>(find, [caseId]);
  unlocked(rows, caseId);
}

/** Adds files to a case, all or none, each with its analysis that waits. */
export async function addFiles(query: Query, { caseId, files, at, isStored }: FilesToAdd): Promise<void> {
  if (isStored) {
    await query(shareContents);
    if (!files.every((file) => isStored(file.content_sha256))) throw new ContentSweptError();
  }
  const { rows } = await query<CaseRow>(touch, [at, caseId]);
  const { organisation_id: organisationId } = unlocked(rows, caseId);
  const placed = files.map(({ content_sha256: _, ...file }, index): Placed => ({
    place: `[${index}].file_id`,
    id: file.file_id,
    row: rowOf(tables.caseFile, { ...file, case_id: caseId, analysis_status: 'waiting_for_analysis' }),
  }));
  const { rows: inserted } = await query<{ id: string }>(insertFiles, columnsOf(tables.caseFile, rowsOf(placed)));
  refuseTaken(placed, inserted);
  for (const { file_id: fileId, uploaded_at: uploadedAt, content_sha256: contentSha256 } of files)
    await query(insertAnalysis, [fileId, organisationId, uploadedAt, contentSha256]);
}

function unlocked([found]: CaseRow[], caseId: string): CaseRow {
  if (!found) throw new NotFoundError('case', caseId);
  if (found.locked_at !== null) throw new ConflictError(`The case ${caseId} is locked.`);
  return found;
}
