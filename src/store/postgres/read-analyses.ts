import { NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import { fileAnalysisOf, type FileAnalysisRow } from '../stored-analysis.ts';
import type { Connection } from './connection.ts';
import { prepared } from './statement.ts';
import { canBeTaken } from './take-analysis.ts';

const find = prepared(`
  SELECT f.file_id, f.case_id, c.organisation_id, f.label, f.mime_type, f.uploaded_at, f.analysis_status,
    f.analysis_completed_at, a.content_sha256, a.attempts, a.started_at, a.verification_enabled, a.from_cache, a.result,
    a.failure, a.later_evidence, r.due_at AS recheck_due_at
  FROM case_file f JOIN case_record c USING (case_id) LEFT JOIN analysis a USING (file_id)
    LEFT JOIN evidence_recheck r USING (file_id)
  WHERE f.file_id = $1`);
const countWaiting = prepared(`SELECT count(*)::integer AS waiting FROM analysis WHERE ${canBeTaken}`);

export function readAnalysisStore(connection: Connection): Pick<Store, 'readAnalysis' | 'countWaitingAnalyses'> {
  return {
    readAnalysis: async (fileId) => {
      const { rows } = await connection.query<FileAnalysisRow>(find, [fileId]);
      if (!rows[0]) throw new NotFoundError('file', fileId);
      return fileAnalysisOf(rows[0]);
    },

    countWaitingAnalyses: async () => {
      const { rows } = await connection.query<{ waiting: number }>(countWaiting);
      return Number(rows[0]?.waiting);
    },
  };
}
