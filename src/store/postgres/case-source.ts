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
import { type FilesOverview, noFiles } from '../../domain/case.ts';
import { type Connection, type Query, canHold, prepared } from './connection.ts';

const findRevision = prepared(`
  SELECT revision FROM case_record JOIN case_revision USING (case_id) WHERE case_id = $1 AND organisation_id = $2`);
const findState = prepared(`
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision
  FROM case_record JOIN case_revision USING (case_id) WHERE case_id = $1 AND organisation_id = $2`);

const asJson = "string_agg(row_to_json(f)::text, ',' ORDER BY uploaded_at, file_id) AS files";

// One statement, so one snapshot and one round trip for a case with its first files.
const findBeginning = prepared(`
  SELECT case_id, label, metadata, locked_at, created_at, updated_at, revision, part.*
  FROM case_record c JOIN case_revision USING (case_id) CROSS JOIN LATERAL (
    SELECT ${asJson}, ${overviewColumns}
    FROM (
      SELECT ${fileColumns.join(', ')} FROM case_file
      WHERE case_id = c.case_id ORDER BY uploaded_at, file_id LIMIT ${filesOfBeginning}) f) part
  WHERE case_id = $1 AND organisation_id = $2`);
const findPart = prepared(`
  SELECT ${asJson}, CASE count(*) WHEN ${filesOfPart} THEN max(uploaded_at || ' ' || file_id) END AS last
  FROM (
    SELECT ${fileColumns.join(', ')} FROM case_file
    WHERE case_id = $1 AND (uploaded_at, file_id) > ($2, $3) ORDER BY uploaded_at, file_id LIMIT ${filesOfPart}) f`);

const findOverview = prepared(`SELECT ${overviewColumns} FROM case_file WHERE case_id = $1`);

/** Without table statistics, PostgreSQL would expect few files, and sort all remaining files for each part. */
const alongTheKey = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

/** PostgreSQL's source for the texts of cases. */
export function postgresCaseSource(connection: Connection): CaseSource {
  return {
    findRevision: async (organisationId, caseId) => {
      if (!canHold(caseId)) return undefined;
      const { rows } = await connection.query<{ revision: string }>(findRevision, [caseId, organisationId]);
      return rows[0]?.revision;
    },

    readBeginning: async (organisationId, caseId) => {
      if (!canHold(caseId)) return undefined;
      const { rows } = await connection.query<StateRow & CaseBeginning['beginning']>(findBeginning, [
        caseId,
        organisationId,
      ]);
      return rows[0] && beginningOf(rows[0]);
    },

    withCase: (organisationId, caseId, work) =>
      connection.readSnapshot(async (query) => {
        if (!canHold(caseId)) return undefined;
        await query(alongTheKey);
        const [state] = (await query<StateRow>(findState, [caseId, organisationId])).rows;
        if (!state) return undefined;
        const [overview] = (await query<FilesOverview>(findOverview, [caseId])).rows;
        return work({ ...stateOf(state), overview: overview ?? noFiles }, (after) => readPart(query, caseId, after));
      }),
  };
}

async function readPart(query: Query, caseId: string, after?: FilePlace): Promise<FilesPart> {
  const { rows } = await query<FilesPart>(findPart, [caseId, ...keyOf(after)]);
  return rows[0] as FilesPart;
}
