import { type ChecksPreventedBy, mostAttempts } from '../../domain/analysis.ts';
import { checksPreventedBy } from '../checks-run.ts';
import type { EndedAnalysis, TakenAnalysis, Taking, Turn } from '../analysis-store.ts';
import { isCurrent } from '../cached-result.ts';
import type { ReadRegister } from '../company-register-import.ts';
import {
  currencyOf,
  longestLeaseMilliseconds,
  type NextFile,
  rangesInTurn,
  takenAnalysisOf,
  workerLost,
} from '../stored-analysis.ts';
import { readRegisters } from './company-register.ts';
import type { Query } from './connection.ts';
import { databaseTime } from './database-clock.ts';
import { endAnalysis } from './end-analysis.ts';
import { prepared } from './statement.ts';

/** Includes the setting of the previous attempt. */
type NextRow = NextFile & { verification_enabled: boolean | null };

/** What prevents verification checks for an organisation, and how often the setting has changed. */
interface Setting {
  checks_prevented_by: ChecksPreventedBy | null;
  verification_changes: number;
}

/** SQL for whether an analysis can be taken now. A lease that ends later than the longest possible one is invalid. */
export const canBeTaken = `
  result IS NULL AND failure IS NULL AND (lease_expires_at IS NULL
    OR lease_expires_at <= ${databaseTime()} OR lease_expires_at > ${databaseTime(longestLeaseMilliseconds)})`;

/** Whether a file can be taken, without a lock. */
export const anyToTake = prepared(`SELECT FROM analysis WHERE ${canBeTaken} LIMIT 1`);
// Skips a file that another worker is taking.
const lockNext = prepared(`
  SELECT file_id FROM analysis WHERE ${canBeTaken} AND organisation_id > $1 AND organisation_id < $2
  ORDER BY organisation_id, uploaded_at, file_id LIMIT 1 FOR UPDATE SKIP LOCKED`);
const readNext = prepared(`
  SELECT a.file_id, f.case_id, a.organisation_id, f.analysis_status, f.mime_type, a.content_sha256, a.attempts,
    a.verification_enabled
  FROM analysis a JOIN case_file f USING (file_id) WHERE a.file_id = $1`);
const lockSetting = prepared('SELECT FROM organisation WHERE organisation_id = $1 FOR KEY SHARE');
// Separate from the lock, because a statement that has waited for a lock reads other tables from its older snapshot.
const readSetting = prepared(`
  SELECT ${checksPreventedBy} AS checks_prevented_by, verification_changes FROM organisation o WHERE organisation_id = $1`);
const findCached = prepared(
  'SELECT result FROM cached_analysis_result WHERE organisation_id = $1 AND content_sha256 = $2',
);
const start = prepared(`
  UPDATE analysis SET started_at = $2, verification_enabled = $3, verification_changes = $4 WHERE file_id = $1`);
const lend = prepared(`
  UPDATE analysis SET lease_token = $2, lease_expires_at = ${databaseTime('$3::float8')}, attempts = attempts + 1 WHERE file_id = $1`);
const setAnalysing = prepared(
  "UPDATE case_file SET analysis_status = 'analysing', analysis_completed_at = NULL WHERE file_id = $1",
);

/** Reads an organisation's setting, and locks it against changes until the end of the transaction. */
export async function holdSetting(query: Query, organisationId: string): Promise<Setting> {
  await query(lockSetting, [organisationId]);
  return (await query<Setting>(readSetting, [organisationId])).rows[0] as Setting;
}

async function lockNextFile(query: Query, turn: Turn | undefined): Promise<string | undefined> {
  for (const range of rangesInTurn(turn)) {
    const { rows } = await query<{ file_id: string }>(lockNext, range);
    if (rows[0]) return rows[0].file_id;
  }
  return undefined;
}

/** The cached result for a file's content, if there is one and the evidence in it still counts. */
async function currentResult(
  query: Query,
  { organisation_id: organisationId, content_sha256: contentSha256 }: NextFile,
  taking: Taking,
): Promise<string | undefined> {
  const { rows } = await query<{ result: string }>(findCached, [organisationId, contentSha256]);
  if (!rows[0]) return undefined;
  const { rows: registers } = await query<ReadRegister & object>(readRegisters);
  return isCurrent(rows[0].result, currencyOf(taking, registers)) ? rows[0].result : undefined;
}

/** Takes the next file, or ends it at once, within a transaction. */
export async function takeAnalysis(query: Query, taking: Taking): Promise<TakenAnalysis | EndedAnalysis | undefined> {
  const { at, leaseMilliseconds, turn } = taking;
  const fileId = await lockNextFile(query, turn);
  if (fileId === undefined) return undefined;
  const file = (await query<NextRow>(readNext, [fileId])).rows[0] as NextRow;
  const { organisation_id: organisationId } = file;
  const { checks_prevented_by: preventedBy, verification_changes: changes } = await holdSetting(query, organisationId);
  const verificationEnabled = preventedBy === null;
  const cached = await currentResult(query, file, taking);
  if (cached === undefined && file.attempts >= mostAttempts)
    return endAnalysis(query, file, {
      at,
      fromCache: false,
      verificationEnabled: file.verification_enabled === true,
      failure: workerLost,
    });
  await query(start, [fileId, at, verificationEnabled, changes]);
  if (cached !== undefined)
    return endAnalysis(query, file, { at, fromCache: true, verificationEnabled, result: cached });
  const taken = takenAnalysisOf(file, preventedBy);
  await query(lend, [fileId, taken.lease.token, leaseMilliseconds]);
  await query(setAnalysing, [fileId]);
  return taken;
}
