import { NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import { fileAnalysisOf, type FileAnalysisRow, latestLeaseEnd } from '../stored-analysis.ts';
import type { Connection } from './connection.ts';

type Row = Omit<FileAnalysisRow, 'verification_enabled' | 'from_cache'> & {
  verification_enabled: 0 | 1 | null;
  from_cache: 0 | 1 | null;
};

/** Parameters: the current time, and the latest time at which a valid lease can end. */
export const canBeTaken = `
  result IS NULL AND failure IS NULL AND (lease_expires_at IS NULL OR lease_expires_at <= ? OR lease_expires_at > ?)`;

export function readAnalysisStore(connection: Connection): Pick<Store, 'readAnalysis' | 'countWaitingAnalyses'> {
  const find = connection.prepare<[string], Row>(`
    SELECT f.file_id, f.case_id, c.organisation_id, f.label, f.mime_type, f.uploaded_at, f.analysis_status,
      f.analysis_completed_at, a.content_sha256, a.attempts, a.started_at, a.verification_enabled, a.from_cache, a.result,
      a.failure, a.later_evidence, r.due_at AS recheck_due_at
    FROM case_file f JOIN case_record c USING (case_id) LEFT JOIN analysis a USING (file_id)
      LEFT JOIN evidence_recheck r USING (file_id)
    WHERE f.file_id = ?`);
  const countWaiting = connection
    .prepare<[string, string], number>(`SELECT count(*) FROM analysis WHERE ${canBeTaken}`)
    .pluck();

  return {
    readAnalysis: (fileId) =>
      connection.read(() => {
        const row = find.get(fileId);
        if (!row) throw new NotFoundError('file', fileId);
        return fileAnalysisOf({
          ...row,
          verification_enabled: booleanOf(row.verification_enabled),
          from_cache: booleanOf(row.from_cache),
        });
      }),

    countWaitingAnalyses: (at) => connection.read(() => Number(countWaiting.get(at, latestLeaseEnd(at)))),
  };
}

function booleanOf(value: 0 | 1 | null): boolean | null {
  return value === null ? null : value === 1;
}
