import type { ExpectedFile, FilesToAdd, NewFile } from '../analysis-store.ts';
import { ConflictError, ContentSweptError, NotAwaitedError, NotFoundError } from '../errors.ts';
import { tables } from '../tables.ts';
import type { Query } from './connection.ts';
import { type Placed, refuseTaken, requireHoldable } from './import-cases.ts';
import { columnsOf, insertRows, rowOf } from './insert-rows.ts';
import { shareContents } from './leftovers.ts';
import { prepared } from './statement.ts';

const find = prepared('SELECT organisation_id, locked_at FROM case_record WHERE case_id = $1');
// The row lock serialises this with locking the case and with other additions to it.
const touch = prepared(
  'UPDATE case_record SET updated_at = $1 WHERE case_id = $2 RETURNING organisation_id, locked_at',
);
const insertFiles = insertRows(tables.caseFile, 'ON CONFLICT DO NOTHING RETURNING file_id AS id');
const fillIn = prepared(`
  UPDATE case_file SET uploaded_at = $3, thumbnail_url = $4, mime_type = $5, analysis_status = 'waiting_for_analysis'
  WHERE file_id = $1 AND case_id = $2 AND analysis_status = 'waiting_for_upload'`);
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

/** Adds a file without content, which waits for its upload. */
export async function expectFile(
  query: Query,
  { caseId, file, at }: { caseId: string; file: ExpectedFile; at: string },
): Promise<void> {
  const { rows } = await query<CaseRow>(touch, [at, caseId]);
  unlocked(rows, caseId);
  await insert(query, [placedOf(file, { caseId, status: 'waiting_for_upload', place: 'file_id' })]);
}

/** Adds files to a case, or content to its expected files, all or none, and queues an analysis of each. */
export async function addFiles(query: Query, { caseId, files, at, awaited, isStored }: FilesToAdd): Promise<void> {
  if (isStored) {
    await query(shareContents);
    if (!files.every((file) => isStored(file.content_sha256))) throw new ContentSweptError();
  }
  const { rows } = await query<CaseRow>(touch, [at, caseId]);
  const { organisation_id: organisationId } = unlocked(rows, caseId);
  if (awaited) for (const file of files) await fillInAwaited(query, caseId, file);
  else {
    const status = 'waiting_for_analysis';
    await insert(
      query,
      files.map((file, index) => placedOf(file, { caseId, status, place: `[${index}].file_id` })),
    );
  }
  for (const { file_id: fileId, uploaded_at: uploadedAt, content_sha256: contentSha256 } of files)
    await query(insertAnalysis, [fileId, organisationId, uploadedAt, contentSha256]);
}

function placedOf(
  file: ExpectedFile,
  { caseId, status, place }: { caseId: string; status: string; place: string },
): Placed {
  const { file_id: id, label, uploaded_at, thumbnail_url, mime_type } = file;
  const facts = { file_id: id, label, uploaded_at, thumbnail_url, mime_type };
  return { place, id, row: rowOf(tables.caseFile, { ...facts, case_id: caseId, analysis_status: status }) };
}

async function insert(query: Query, placed: Placed[]): Promise<void> {
  requireHoldable(placed);
  const columns = columnsOf(
    tables.caseFile,
    placed.map(({ row }) => row),
  );
  const { rows } = await query<{ id: string }>(insertFiles, columns);
  refuseTaken(placed, rows);
}

async function fillInAwaited(query: Query, caseId: string, file: NewFile): Promise<void> {
  const { file_id: fileId, uploaded_at: uploadedAt, thumbnail_url: thumbnailUrl, mime_type: mimeType } = file;
  const { rowCount } = await query(fillIn, [fileId, caseId, uploadedAt, thumbnailUrl, mimeType]);
  if (rowCount === 0) throw new NotAwaitedError(fileId);
}

function unlocked([found]: CaseRow[], caseId: string): CaseRow {
  if (!found) throw new NotFoundError('case', caseId);
  if (found.locked_at !== null) throw new ConflictError(`The case ${caseId} is locked.`);
  return found;
}
