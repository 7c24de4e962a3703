import type { CaseRecord, CaseToImport, FileSummary } from '../../domain/case.ts';
import { ConflictError } from '../errors.ts';
import { type Row, type Table, tables } from '../tables.ts';
import { canHoldAll } from './can-hold.ts';
import type { Query } from './connection.ts';
import { columnsOf, insertRows, rowOf } from './insert-rows.ts';
import { requireOrganisation } from './organisations.ts';

const rowsOfStatement = 500;

/** A row to insert, its identifier, and its place in the import. */
export interface Placed {
  place: string;
  id: string;
  row: Row;
}

const insertion = (table: Table, id: string) => ({
  table,
  statement: insertRows(table, `ON CONFLICT DO NOTHING RETURNING ${id} AS id`),
});
const recordInsertion = insertion(tables.caseRecord, 'case_id');
const fileInsertion = insertion(tables.caseFile, 'file_id');

/**
 * Adds cases, many rows per statement. PostgreSQL skips rows whose identifier is taken, even by another row of the
 * import; the first skipped row is reported.
 */
export async function importCases(
  query: Query,
  organisationId: string,
  cases: Iterable<CaseToImport>,
  onFile: (added: number) => void = () => undefined,
): Promise<void> {
  await requireOrganisation(query, organisationId);
  let records: Placed[] = [];
  let files: Placed[] = [];
  let added = 0;
  const flush = async () => {
    await insertAll(query, recordInsertion, records);
    await insertAll(query, fileInsertion, files);
    files.forEach(() => {
      onFile((added += 1));
    });
    [records, files] = [[], []];
  };
  let caseIndex = 0;
  for (const { files: filesOfCase, ...record } of cases) {
    records.push(placedRecord(organisationId, record, caseIndex));
    let fileIndex = 0;
    for (const file of filesOfCase) {
      files.push(placedFile(file, record.case_id, `[${caseIndex}].files[${fileIndex}]`));
      if (files.length === rowsOfStatement) await flush();
      fileIndex += 1;
    }
    if (records.length === rowsOfStatement) await flush();
    caseIndex += 1;
  }
  await flush();
}

function placedRecord(organisationId: string, record: CaseRecord, caseIndex: number): Placed {
  const cells = { ...record, organisation_id: organisationId, metadata: JSON.stringify(record.metadata) };
  return { place: `[${caseIndex}].case_id`, id: record.case_id, row: rowOf(tables.caseRecord, cells) };
}

function placedFile(file: FileSummary, caseId: string, place: string): Placed {
  return { place: `${place}.file_id`, id: file.file_id, row: rowOf(tables.caseFile, { ...file, case_id: caseId }) };
}

async function insertAll(
  query: Query,
  { table, statement }: ReturnType<typeof insertion>,
  placed: readonly Placed[],
): Promise<void> {
  if (placed.length === 0) return;
  requireHoldable(placed);
  // Insert in the order of identifiers, so that two imports with common identifiers cannot deadlock.
  const rows = placed.toSorted(byId).map(({ row }) => row);
  const inserted = await query<{ id: string }>(statement, columnsOf(table, rows));
  refuseTaken(placed, inserted.rows);
}

function byId({ id: a }: Placed, { id: b }: Placed): number {
  return Number(a > b) - Number(a < b);
}

/** @throws {ConflictError} if PostgreSQL cannot store a row; its `place` names it */
export function requireHoldable(placed: readonly Placed[]): void {
  for (const { row, place } of placed)
    if (!canHoldAll(row))
      throw new ConflictError('PostgreSQL cannot store text with the character U+0000.', place.replace(/\.\w+$/, ''));
}

/** @throws {ConflictError} if a row was skipped because its identifier is taken; its `place` names it */
export function refuseTaken(part: readonly Placed[], inserted: { id: string }[]): void {
  const fresh = new Set(inserted.map(({ id }) => id));
  for (const { id, place } of part)
    if (!fresh.delete(id)) throw new ConflictError(`The identifier ${id} is taken.`, place);
}
