import Sqlite from 'better-sqlite3';
import type { CaseRecord } from '../../domain/case.js';
import {
  type CaseSource,
  fileColumns,
  type FilePlace,
  filesOfBeginning,
  filesOfPart,
  type FilesPart,
  keyOf,
} from '../case-source.js';
import { Connection } from './connection.js';
import { keepAlive } from './keep-alive.js';

type RecordRow = Omit<CaseRecord, 'metadata'> & { metadata: string; revision: string };
type PartRow = Omit<FilesPart, 'analysis_statuses'> & { analysis_statuses: string };

const selectRecord = `
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision
  FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?`;
const jsonOfFile = `json_object(${fileColumns.map((column) => `'${column}', ${column}`).join(', ')})`;
const selectPart = (files: string) => `
  SELECT ${files} AS files, count(*) AS total_files,
    json_group_array(DISTINCT analysis_status) AS analysis_statuses, max(analysis_completed_at) AS last_completed_at,
    max(place) AS last
  FROM (
    SELECT ${jsonOfFile} AS file, analysis_status, analysis_completed_at, uploaded_at || ' ' || file_id AS place
    FROM case_file WHERE case_id = ? AND (uploaded_at, file_id) > (?, ?) ORDER BY uploaded_at, file_id LIMIT ?)`;

/** What the embedded store gives for the texts of cases. A large case is read over a connection of its own. */
export function sqliteCaseSource(connection: Connection): CaseSource & { close(): void } {
  const selectRevision = connection
    .prepare<[string, string], string>(
      'SELECT revision FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?',
    )
    .pluck();
  const reading = readingOf(connection);
  let second: { connection: Connection; reading: Reading } | undefined;
  const openSecond = () => {
    const { name } = connection.database;
    const opened = new Connection(keepAlive(new Sqlite(name, { readonly: true, timeout: 0 })));
    return { connection: opened, reading: readingOf(opened) };
  };

  return {
    findRevision: (organisationId, caseId) => connection.read(() => selectRevision.get(caseId, organisationId)),

    readBeginning: (organisationId, caseId) => connection.readSnapshot(() => reading.beginning(organisationId, caseId)),

    withCase: async (organisationId, caseId, work) => {
      const large = await connection.read(() => (second ??= openSecond()));
      const { database } = large.connection;
      const run = <T>(step: () => T) => large.connection.read(step);
      await run(() => database.exec('BEGIN'));
      try {
        const beginning = await run(() => large.reading.beginning(organisationId, caseId));
        return beginning && (await work(beginning, (place) => run(() => large.reading.next(caseId, place))));
      } finally {
        database.exec('ROLLBACK');
      }
    },

    close: () => second?.connection.database.close(),
  };
}

type Reading = ReturnType<typeof readingOf>;

function readingOf(connection: Connection) {
  const findRecord = connection.prepare<[string, string], RecordRow>(selectRecord);
  // Bytes are ready to be sent; but of one text after the other, strings are collected sooner than buffers.
  const prepare = (files: string) => connection.prepare<[string, string, string, number], PartRow>(selectPart(files));
  const findFirst = prepare('CAST(group_concat(file) AS BLOB)');
  const findNext = prepare('group_concat(file)');
  const part = (find: typeof findFirst, caseId: string, limit: number, after?: FilePlace): FilesPart => {
    const row = find.get(caseId, ...keyOf(after), limit) as PartRow;
    const last = row.total_files < limit ? null : row.last;
    return { ...row, analysis_statuses: JSON.parse(row.analysis_statuses) as string[], last };
  };
  return {
    next: (caseId: string, after: FilePlace) => part(findNext, caseId, filesOfPart, after),
    beginning: (organisationId: string, caseId: string) => {
      const found = findRecord.get(caseId, organisationId);
      if (!found) return undefined;
      const { revision, ...record } = found;
      const metadata = JSON.parse(record.metadata) as CaseRecord['metadata'];
      return { revision, record: { ...record, metadata }, part: part(findFirst, caseId, filesOfBeginning) };
    },
  };
}
