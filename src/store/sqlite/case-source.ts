import Sqlite from 'better-sqlite3';
import * as source from '../case-texts/case-source.ts';
import { Connection } from './connection.ts';

const { fileColumns, filesOfBeginning, filesOfPart, overviewColumns } = source;

const ofCase = 'FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?';
export const selectRevision = `SELECT revision ${ofCase}`;
const members = fileColumns.replaceAll(/\w+/g, "'$&', $&");
const asJson = `group_concat(json_object(${members})) AS files`;
/** Reads a small case completely with one statement, since each statement has a fixed cost. */
export const selectBeginning = `
  SELECT ${source.stateColumns}, files, total_files, ended_files, last_completed_at
  FROM case_record JOIN case_revision USING (case_id) CROSS JOIN (
    SELECT ${asJson}, ${overviewColumns}
    FROM (
      SELECT ${fileColumns} FROM case_file
      WHERE case_id = (SELECT case_id FROM case_record WHERE case_id = ? AND organisation_id = ?)
      ORDER BY uploaded_at, file_id LIMIT ${filesOfBeginning}))
  WHERE case_id = ? AND organisation_id = ?`;
const selectPart = `
  SELECT ${asJson}, ${overviewColumns}, ${source.lastColumn}
  FROM (
    SELECT ${fileColumns} FROM case_file
    WHERE case_id = ? AND (uploaded_at, file_id) > (?, ?) ORDER BY uploaded_at, file_id LIMIT ${filesOfPart})`;

/** The embedded store's source for the texts of cases. It reads large cases over a separate connection. */
export function sqliteCaseSource(connection: Connection): source.CaseSource & { close(): void } {
  const findRevision = connection.prepare<[string, string], string>(selectRevision).pluck();
  const findBeginning = connection.prepare<string[], source.CaseBeginning>(selectBeginning);
  let second: ReturnType<typeof openSecond> | undefined;

  return {
    findRevision: (organisationId, caseId) => connection.read(() => findRevision.get(caseId, organisationId)),

    readBeginning: (organisationId, caseId) =>
      connection.read(() => findBeginning.get(caseId, organisationId, caseId, organisationId)),

    withCase: async (organisationId, caseId, work) => {
      const large = await connection.read(() => (second ??= openSecond(connection)));
      const { database } = large.connection;
      database.exec('BEGIN');
      try {
        const state = await large.connection.read(() => large.state.get(caseId, organisationId));
        const readPart = (after?: source.FilePlace) =>
          large.connection.read(() => large.part.get(caseId, ...source.keyOf(after)) as source.FilesPart);
        return state && (await work(state, readPart));
      } finally {
        // A disk error, or closing the store, also ends the transaction.
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    },

    close: () => second?.connection.database.close(),
  };
}

function openSecond({ database, file }: Connection) {
  const connection = new Connection(new Sqlite(database.name, { readonly: true, timeout: 0 }), file);
  file.requireInPlace();
  return {
    connection,
    state: connection.prepare<[string, string], source.CaseState>(`SELECT ${source.stateColumns} ${ofCase}`),
    part: connection.prepare<[string, string, string], source.FilesPart>(selectPart),
  };
}
