import type { EndedAnalysis } from '../analysis-store.ts';
import { type AnalysisFile, endOf, type Ending } from '../stored-analysis.ts';
import { writeAuditEntry } from './audit.ts';
import type { Query } from './connection.ts';
import { prepared } from './statement.ts';

const saveEnd = prepared(`
  UPDATE analysis SET result = $2, failure = $3, from_cache = $4, lease_token = NULL, lease_expires_at = NULL
  WHERE file_id = $1`);
const saveStatus = prepared('UPDATE case_file SET analysis_status = $2, analysis_completed_at = $3 WHERE file_id = $1');

/** Saves the end of an analysis with its audit entry, within a transaction. */
export async function endAnalysis(query: Query, file: AnalysisFile, ending: Ending): Promise<EndedAnalysis> {
  const { result, failure, ended, entry } = endOf(file, ending);
  await query(saveEnd, [file.file_id, result, failure, ended.from_cache]);
  await query(saveStatus, [file.file_id, ended.analysis_status, ending.at]);
  await writeAuditEntry(query, entry);
  return ended;
}
