import * as source from '../case-texts/case-source.ts';
import { type Connection, canHold, prepared } from './connection.ts';

const { fileColumns, filesOfBeginning, filesOfPart, overviewColumns } = source;

const ofCase = 'FROM case_record JOIN case_revision USING (case_id) WHERE case_id = $1 AND organisation_id = $2';
const findRevision = prepared(`SELECT revision ${ofCase}`);
const findState = prepared(`SELECT ${source.stateColumns} ${ofCase}`);
const asJson = "string_agg(row_to_json(f)::text, ',' ORDER BY uploaded_at, file_id) AS files";
// One statement, so one snapshot and one round trip for a case with its first files.
const findBeginning = prepared(`
  SELECT ${source.stateColumns}, part.*
  FROM case_record c JOIN case_revision USING (case_id) CROSS JOIN LATERAL (
    SELECT ${asJson}, ${overviewColumns}
    FROM (
      SELECT ${fileColumns} FROM case_file
      WHERE case_id = c.case_id ORDER BY uploaded_at, file_id LIMIT ${filesOfBeginning}) f) part
  WHERE case_id = $1 AND organisation_id = $2`);
const findPart = prepared(`
  SELECT ${asJson}, ${overviewColumns}, ${source.lastColumn}
  FROM (
    SELECT ${fileColumns} FROM case_file
    WHERE case_id = $1 AND (uploaded_at, file_id) > ($2, $3) ORDER BY uploaded_at, file_id LIMIT ${filesOfPart}) f`);

/** Without table statistics, PostgreSQL would expect few files, and sort all remaining files for each part. */
const alongTheKey = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export function postgresCaseSource(connection: Connection): source.CaseSource {
  return {
    findRevision: async (organisationId, caseId) => {
      if (!canHold(caseId)) return undefined;
      const { rows } = await connection.query<{ revision: string }>(findRevision, [caseId, organisationId]);
      return rows[0]?.revision;
    },

    readBeginning: async (organisationId, caseId) => {
      if (!canHold(caseId)) return undefined;
      return (await connection.query<source.CaseBeginning>(findBeginning, [caseId, organisationId])).rows[0];
    },

    withCase: (organisationId, caseId, work) =>
      connection.readSnapshot(async (query) => {
        if (!canHold(caseId)) return undefined;
        await query(alongTheKey);
        const [state] = (await query<source.CaseState>(findState, [caseId, organisationId])).rows;
        const readPart = async (after?: source.FilePlace) =>
          (await query<source.FilesPart & object>(findPart, [caseId, ...source.keyOf(after)]))
            .rows[0] as source.FilesPart;
        return state && work(state, readPart);
      }),
  };
}
