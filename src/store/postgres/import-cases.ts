import type { StoredCase } from '../../domain/case.ts';
import { ConflictError } from '../errors.ts';
import { type Row, tables } from '../tables.ts';
import { canHold } from './can-hold.ts';
import type { Query } from './connection.ts';
import { columnsOf, insertRows, parts, rowOf } from './insert-rows.ts';
import { requireOrganisation } from './organisations.ts';

const rowsOfStatement = 500;

/** A row to insert, its identifier, and where in the import it stands. */
export interface Placed {
  place: string;
  id: string;
  row: Row;
}

const insertRecords = insertRows(tables.caseRecord, 'ON CONFLICT DO NOTHING RETURNING case_id AS id');
const insertFiles = insertRows(tables.caseFile, 'ON CONFLICT DO NOTHING RETURNING file_id AS id');

/**
 * Adds cases, many rows with one statement. PostgreSQL passes over those whose identifier is taken, by a row of the
 * same import too; the first of them is told.
 */
export async function importCases(
  query: Query,
  organisationId: string,
  cases: readonly StoredCase[],
  onFile: (added: number) => void = () => undefined,
): Promise<void> {
  await requireOrganisation(query, organisationId);
  const records = cases.map(({ files: _, ...record }, index) => ({
    place: `[${index}].case_id`,
    id: record.case_id,
    row: rowOf(tables.caseRecord, {
      ...record,
      organisation_id: organisationId,
      metadata: JSON.stringify(record.metadata),
    }),
  }));
  await insertAll(records, async (rows) => query(insertRecords, columnsOf(tables.caseRecord, rows)));
  let added = 0;
  await insertAll(filesOf(cases), async (rows) => {
    const inserted = await query<{ id: string }>(insertFiles, columnsOf(tables.caseFile, rows));
    rows.forEach(() => {
      onFile((added += 1));
    });
    return inserted;
  });
}

/** Inserts rows in order of their identifiers: two imports of the same cases would otherwise wait for each other. */
async function insertAll(
  placed: readonly Placed[],
  insert: (rows: Row[]) => Promise<{ rows: { id: string }[] }>,
): Promise<void> {
  requireHoldable(placed);
  const inserted: { id: string }[] = [];
  for (const part of parts(placed.toSorted(byId), rowsOfStatement))
    inserted.push(...(await insert(part.map(({ row }) => row))).rows);
  refuseTaken(placed, inserted);
}

function byId({ id: a }: Placed, { id: b }: Placed): number {
  return Number(a > b) - Number(a < b);
}

function filesOf(cases: readonly StoredCase[]): Placed[] {
  return cases.flatMap(({ case_id: caseId, files }, caseIndex) =>
    files.map((file, fileIndex) => ({
      place: `[${caseIndex}].files[${fileIndex}].file_id`,
      id: file.file_id,
      row: rowOf(tables.caseFile, { ...file, case_id: caseId }),
    })),
  );
}

/** @throws {ConflictError} if PostgreSQL cannot hold a row; its `place` names it */
export function requireHoldable(placed: readonly Placed[]): void {
  for (const { row, place } of placed)
    if (row.some((cell) => typeof cell === 'string' && !canHold(cell)))
      throw new ConflictError('PostgreSQL cannot hold a text with the character U+0000.', place.replace(/\.\w+$/, ''));
}

/** @throws {ConflictError} if a row was passed over because its identifier is taken; its `place` names it */
export function refuseTaken(part: readonly Placed[], inserted: { id: string }[]): void {
  const fresh = new Set(inserted.map(({ id }) => id));
  for (const { id, place } of part)
    if (!fresh.delete(id)) throw new ConflictError(`The identifier ${id} is taken.`, place);
}
