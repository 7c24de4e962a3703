import type { CaseOverview, StoredCase } from '../../domain/case.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import { canHold } from './can-hold.ts';
import type { Connection, Query } from './connection.ts';
import { importCases } from './import-cases.ts';
import { prepared } from './statement.ts';

type CaseRow = Omit<StoredCase, 'metadata'> & { metadata: string };

// One statement, so one snapshot and one round trip for a case with all its files.
const find = prepared(`
  SELECT case_id, label, metadata, locked_at, created_at, updated_at,
    (SELECT coalesce(json_agg(f), '[]') FROM (
      SELECT file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at
      FROM case_file WHERE case_id = c.case_id ORDER BY uploaded_at, file_id
    ) f) AS files
  FROM case_record c WHERE case_id = $1 AND organisation_id = $2`);
const findOwner = prepared('SELECT organisation_id FROM case_record WHERE case_id = $1');
const lock = prepared(
  'UPDATE case_record SET locked_at = $2, updated_at = $2 WHERE case_id = $1 AND locked_at IS NULL',
);
const unlock = prepared(
  'UPDATE case_record SET locked_at = NULL, updated_at = $2 WHERE case_id = $1 AND locked_at IS NOT NULL',
);
const list = prepared(`
  SELECT case_id, organisation_id, label, locked_at, created_at,
    (SELECT count(*)::integer FROM case_file f WHERE f.case_id = c.case_id) AS total_files
  FROM case_record c
  WHERE $1::text IS NULL OR organisation_id = $1
  ORDER BY created_at DESC, case_id LIMIT $2`);

export function caseStore(
  connection: Connection,
): Pick<Store, 'findCase' | 'importCases' | 'findOwnerOfCase' | 'lockCase' | 'unlockCase' | 'listCases'> {
  return {
    findCase: async (organisationId, caseId) => {
      if (!canHold(caseId)) return undefined;
      const { rows } = await connection.query<CaseRow>(find, [caseId, organisationId]);
      return rows[0] && { ...rows[0], metadata: JSON.parse(rows[0].metadata) as StoredCase['metadata'] };
    },

    importCases: (organisationId, cases, onFile) =>
      connection.write((query) => importCases(query, organisationId, cases, onFile)),

    findOwnerOfCase: (caseId) => ownerOf(connection.query, caseId),

    lockCase: (caseId, at) =>
      connection.write(async (query) => {
        await ownerOf(query, caseId);
        const { rowCount } = await query(lock, [caseId, at]);
        if (rowCount === 0) throw new ConflictError(`The case ${caseId} is already locked.`);
      }),

    unlockCase: (caseId, at) =>
      connection.write(async (query) => {
        await ownerOf(query, caseId);
        await query(unlock, [caseId, at]);
      }),

    listCases: async ({ organisationId, limit }) =>
      (await connection.query<CaseOverview>(list, [organisationId ?? null, limit])).rows,
  };
}

async function ownerOf(query: Query, caseId: string): Promise<string> {
  const { rows } = await query<{ organisation_id: string }>(findOwner, [caseId]);
  if (!rows[0]) throw new NotFoundError('case', caseId);
  return rows[0].organisation_id;
}
