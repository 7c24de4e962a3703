import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type FilesOverview, withFiles } from '../../domain/case.ts';
import {
  beginningOf,
  type CaseBeginning,
  type CaseSource,
  fileColumns,
  type FilePlace,
  filesOfBeginning,
  filesOfPart,
  type FilesPart,
  keyOf,
  overviewColumns,
  stateOf,
  type StateRow,
} from '../case-texts/case-source.ts';
import { Connection } from './connection.ts';

const selectState = `
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision
  FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?`;
const asJson = `group_concat(json_object(${fileColumns.map((column) => `'${column}', ${column}`).join(', ')})) AS files`;
/** Of as many files at once, so that other requests wait for no more. */
const files = (count: number) => `
  SELECT ${fileColumns.join(', ')} FROM case_file
  WHERE case_id = ? AND (uploaded_at, file_id) > (?, ?) ORDER BY uploaded_at, file_id LIMIT ${count}`;
const lastOf = (count: number) => `CASE count(*) WHEN ${count} THEN max(uploaded_at || ' ' || file_id) END AS last`;
/** Reads a small case completely with one statement, since each statement has a fixed cost. */
export const selectBeginning = `
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision,
    files, total_files, ended_files, last_completed_at
  FROM case_record JOIN case_revision USING (case_id) CROSS JOIN (
    SELECT ${asJson}, ${overviewColumns}
    FROM (
      SELECT ${fileColumns.join(', ')} FROM case_file
      WHERE case_id = (SELECT case_id FROM case_record WHERE case_id = ? AND organisation_id = ?)
      ORDER BY uploaded_at, file_id LIMIT ${filesOfBeginning}))
  WHERE case_id = ? AND organisation_id = ?`;
const selectPart = `SELECT ${asJson}, ${lastOf(filesOfPart)} FROM (${files(filesOfPart)})`;
const selectOverview = `SELECT ${overviewColumns}, ${lastOf(filesOfBeginning)} FROM (${files(filesOfBeginning)})`;

/** The embedded store's source for the texts of cases. It reads large cases over a separate connection. */
export function sqliteCaseSource(connection: Connection): CaseSource & { close(): void } {
  const selectRevision = connection
    .prepare<[string, string], string>(
      'SELECT revision FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?',
    )
    .pluck();
  const selectFirst = connection.prepare<string[], StateRow & CaseBeginning['beginning']>(selectBeginning);
  let second: { connection: Connection; reading: Reading } | undefined;
  const openSecond = () => {
    const { name } = connection.database;
    const opened = new Connection(new Sqlite(name, { readonly: true, timeout: 0 }), connection.file);
    connection.file.requireInPlace();
    return { connection: opened, reading: readingOf(opened) };
  };

  return {
    findRevision: (organisationId, caseId) => connection.read(() => selectRevision.get(caseId, organisationId)),

    readBeginning: (organisationId, caseId) =>
      connection.read(() => {
        const row = selectFirst.get(caseId, organisationId, caseId, organisationId);
        return row && beginningOf(row);
      }),

    withCase: async (organisationId, caseId, work) => {
      const large = await connection.read(() => (second ??= openSecond()));
      const { database } = large.connection;
      const run = <T>(step: () => T) => large.connection.read(step);
      database.exec('BEGIN');
      try {
        const state = await run(() => large.reading.state(organisationId, caseId));
        if (!state) return undefined;
        const overview = await overviewOf((after) => run(() => large.reading.overview(caseId, after)));
        return await work({ ...state, overview }, (after) => run(() => large.reading.part(caseId, after)));
      } finally {
        // A disk error, or closing the store, also ends the transaction.
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    },

    close: () => second?.connection.database.close(),
  };
}

type PlacedOverview = FilesOverview & Pick<FilesPart, 'last'>;

/** The overview of all files, read a part at a time, between which other requests have their turn. */
async function overviewOf(readPart: (after?: FilePlace) => Promise<PlacedOverview>): Promise<FilesOverview> {
  let { last, ...overview } = await readPart();
  while (last !== null) {
    await nextTurn();
    const { last: next, ...more } = await readPart(last);
    overview = withFiles(overview, more);
    last = next;
  }
  return overview;
}

type Reading = ReturnType<typeof readingOf>;

function readingOf(connection: Connection) {
  const findState = connection.prepare<[string, string], StateRow>(selectState);
  const findPart = connection.prepare<[string, string, string], FilesPart>(selectPart);
  const findOverview = connection.prepare<[string, string, string], PlacedOverview>(selectOverview);
  return {
    state: (organisationId: string, caseId: string) => {
      const row = findState.get(caseId, organisationId);
      return row && stateOf(row);
    },
    part: (caseId: string, after?: FilePlace) => findPart.get(caseId, ...keyOf(after)) as FilesPart,
    overview: (caseId: string, after?: FilePlace) => findOverview.get(caseId, ...keyOf(after)) as PlacedOverview,
  };
}
