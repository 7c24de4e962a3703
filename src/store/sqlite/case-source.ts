import Sqlite from 'better-sqlite3';
import {
  beginningOf,
  type CaseSource,
  fileColumns,
  type FilePlace,
  filesOfBeginning,
  filesOfPart,
  type FilesPart,
  keyOf,
  overviewColumns,
  type PlacedFilesPart,
  stateOf,
  type StateRow,
} from '../case-source.ts';
import { Connection } from './connection.ts';

const selectState = `
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision
  FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?`;
const summedUp = `
  group_concat(json_object(${fileColumns.map((column) => `'${column}', ${column}`).join(', ')})) AS files, ${overviewColumns}`;
/** Reads a small case completely with one statement, since each statement has a fixed cost. */
export const selectBeginning = `
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision,
    files, total_files, ended_files, last_completed_at
  FROM case_record JOIN case_revision USING (case_id) CROSS JOIN (
    SELECT ${summedUp}
    FROM (
      SELECT ${fileColumns.join(', ')} FROM case_file
      WHERE case_id = (SELECT case_id FROM case_record WHERE case_id = ? AND organisation_id = ?)
      ORDER BY uploaded_at, file_id LIMIT ${filesOfBeginning}))
  WHERE case_id = ? AND organisation_id = ?`;
const selectPart = `
  SELECT ${summedUp}, CASE count(*) WHEN ${filesOfPart} THEN max(uploaded_at || ' ' || file_id) END AS last
  FROM (
    SELECT ${fileColumns.join(', ')} FROM case_file
    WHERE case_id = ? AND (uploaded_at, file_id) > (?, ?) ORDER BY uploaded_at, file_id LIMIT ${filesOfPart})`;

/** The embedded store's source for the texts of cases. It reads large cases over a separate connection. */
export function sqliteCaseSource(connection: Connection): CaseSource & { close(): void } {
  const selectRevision = connection
    .prepare<[string, string], string>(
      'SELECT revision FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?',
    )
    .pluck();
  const selectFirst = connection.prepare<string[], StateRow & FilesPart>(selectBeginning);
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
        return state && (await work(state, (after) => run(() => large.reading.part(caseId, after))));
      } finally {
        // A disk error, or closing the store, also ends the transaction.
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    },

    close: () => second?.connection.database.close(),
  };
}

type Reading = ReturnType<typeof readingOf>;

function readingOf(connection: Connection) {
  const findState = connection.prepare<[string, string], StateRow>(selectState);
  const findPart = connection.prepare<[string, string, string], PlacedFilesPart>(selectPart);
  return {
    state: (organisationId: string, caseId: string) => {
      const row = findState.get(caseId, organisationId);
      return row && stateOf(row);
    },
    part: (caseId: string, after?: FilePlace) => findPart.get(caseId, ...keyOf(after)) as PlacedFilesPart,
  };
}
