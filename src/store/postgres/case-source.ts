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
import type { Connection, Query } from './connection.js';
import { prepared } from './statement.js';

type RecordRow = Omit<CaseRecord, 'metadata'> & { metadata: string; revision: string };
type BeginningRow = RecordRow & FilesPart;

const findRevision = prepared(`
  SELECT revision FROM case_record JOIN case_revision USING (case_id) WHERE case_id = $1 AND organisation_id = $2`);

/** Up to so many files of a case, behind a place. */
const part = (caseId: string, [uploadedAt, fileId]: [string, string], limit: number) => `
  SELECT string_agg(row_to_json(f)::text, ',' ORDER BY uploaded_at, file_id) AS files,
    count(*)::integer AS total_files, coalesce(array_agg(DISTINCT analysis_status), '{}') AS analysis_statuses,
    max(analysis_completed_at) AS last_completed_at, CASE count(*) WHEN ${limit} THEN max(uploaded_at || ' ' || file_id) END AS last
  FROM (
    SELECT ${fileColumns.join(', ')} FROM case_file
    WHERE case_id = ${caseId} AND (uploaded_at, file_id) > (${uploadedAt}, ${fileId})
    ORDER BY uploaded_at, file_id LIMIT ${limit}) f`;

// One statement, so one snapshot and one round trip for a case with its first files.
const findBeginning = prepared(`
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision, part.*
  FROM case_record c JOIN case_revision USING (case_id) CROSS JOIN LATERAL (${part('c.case_id', ["''", "''"], filesOfBeginning)}) part
  WHERE case_id = $1 AND organisation_id = $2`);
const findPart = prepared(part('$1', ['$2', '$3'], filesOfPart));

/** Of a table without statistics yet, PostgreSQL would take a case to be small, and sort all that follows for each part. */
const alongTheKey = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

/** What PostgreSQL gives for the texts of cases. */
export function postgresCaseSource(connection: Connection): CaseSource {
  return {
    findRevision: async (organisationId, caseId) => {
      if (!canHold(caseId)) return undefined;
      const { rows } = await connection.query<{ revision: string }>(findRevision, [caseId, organisationId]);
      return rows[0]?.revision;
    },

    readBeginning: (organisationId, caseId) => readBeginning(connection.query, organisationId, caseId),

    withCase: (organisationId, caseId, work) =>
      connection.readSnapshot(async (query) => {
        await query(alongTheKey);
        const beginning = await readBeginning(query, organisationId, caseId);
        return beginning && work(beginning, (place) => readPart(query, caseId, place));
      }),
  };
}

async function readBeginning(query: Query, organisationId: string, caseId: string) {
  if (!canHold(caseId)) return undefined;
  const { rows } = await query<BeginningRow>(findBeginning, [caseId, organisationId]);
  if (!rows[0]) return undefined;
  const { revision, files, total_files, analysis_statuses, last_completed_at, last, ...record } = rows[0];
  const metadata = JSON.parse(record.metadata) as CaseRecord['metadata'];
  return {
    revision,
    record: { ...record, metadata },
    part: { files, total_files, analysis_statuses, last_completed_at, last },
  };
}

async function readPart(query: Query, caseId: string, after: FilePlace): Promise<FilesPart> {
  const { rows } = await query<FilesPart>(findPart, [caseId, ...keyOf(after)]);
  return rows[0] as FilesPart;
}

/** PostgreSQL refuses to compare with it what cannot hold it. */
function canHold(caseId: string): boolean {
  return !caseId.includes('\0');
}
