import type { EndedAnalysis } from '../analysis-store.ts';
import { type AnalysisFile, endOf, type Ending } from '../stored-analysis.ts';
import { auditWriter } from './audit.ts';
import type { Connection } from './connection.ts';

/** Saves the end of an analysis with its audit entry, within a transaction. */
export function analysisEnder(connection: Connection): (file: AnalysisFile, ending: Ending) => EndedAnalysis {
  const saveEnd = connection.prepare(`
    UPDATE analysis SET result = @result, failure = @failure, from_cache = @fromCache, lease_token = NULL,
      lease_expires_at = NULL
    WHERE file_id = @fileId`);
  const saveStatus = connection.prepare(
    'UPDATE case_file SET analysis_status = ?, analysis_completed_at = ? WHERE file_id = ?',
  );
  const writeEntry = auditWriter(connection);

  return (file, ending) => {
    const { result, failure, ended, entry } = endOf(file, ending);
    saveEnd.run({ fileId: file.file_id, result, failure, fromCache: Number(ended.from_cache) });
    saveStatus.run(ended.analysis_status, ending.at, file.file_id);
    writeEntry(entry);
    return ended;
  };
}
