import type { Lease } from '../analysis-store.ts';
import type { Store } from '../store.ts';
import { type AnalysisFile } from '../stored-analysis.ts';
import { addFiles, expectFile, requireUnlockedCase } from './add-files.ts';
import type { Connection, Query } from './connection.ts';
import { databaseTime } from './database-clock.ts';
import { endAnalysis } from './end-analysis.ts';
import { prepared } from './statement.ts';
import { anyToTake, holdSetting, takeAnalysis } from './take-analysis.ts';
import { saveCachedResult } from './verification-setting.ts';

type HeldFile = AnalysisFile & {
  content_sha256: Uint8Array;
  verification_enabled: boolean;
  verification_changes: number;
};

const renew = prepared(`
  UPDATE analysis SET lease_expires_at = ${databaseTime('$3::float8')} WHERE file_id = $1 AND lease_token = $2`);
const release = prepared(`
  UPDATE analysis SET lease_token = NULL, lease_expires_at = NULL, attempts = attempts - 1
  WHERE file_id = $1 AND lease_token = $2`);
const setWaiting = prepared("UPDATE case_file SET analysis_status = 'waiting_for_analysis' WHERE file_id = $1");
const lockHeld = prepared('SELECT FROM analysis WHERE file_id = $1 AND lease_token = $2 FOR UPDATE');
const readHeld = prepared(`
  SELECT a.file_id, f.case_id, a.organisation_id, f.analysis_status, a.content_sha256, a.verification_enabled,
    a.verification_changes
  FROM analysis a JOIN case_file f USING (file_id) WHERE a.file_id = $1`);
const startRecheck = prepared(`
  INSERT INTO evidence_recheck (file_id, organisation_id, due_at) VALUES ($1, $2, ${databaseTime('$3::float8')})`);

export function analysisStore(
  connection: Connection,
): Pick<
  Store,
  | 'requireUnlockedCase'
  | 'expectFile'
  | 'addFiles'
  | 'takeAnalysis'
  | 'renewLease'
  | 'releaseLease'
  | 'completeAnalysis'
  | 'failAnalysis'
> {
  return {
    requireUnlockedCase: (caseId) => requireUnlockedCase(connection.query, caseId),

    expectFile: (expectation) => connection.write((query) => expectFile(query, expectation)),

    addFiles: (addition) => connection.write((query) => addFiles(query, addition)),

    takeAnalysis: async (taking) => {
      // Polling costs one statement without a transaction.
      const { rowCount } = await connection.query(anyToTake);
      return rowCount === 0 ? undefined : connection.write((query) => takeAnalysis(query, taking));
    },

    renewLease: async ({ fileId, token }, { leaseMilliseconds }) =>
      (await connection.query(renew, [fileId, token, leaseMilliseconds])).rowCount === 1,

    releaseLease: ({ fileId, token }) =>
      connection.write(async (query) => {
        if ((await query(release, [fileId, token])).rowCount === 0) return false;
        await query(setWaiting, [fileId]);
        return true;
      }),

    completeAnalysis: (lease, { result, cacheable, at, recheckAfterMilliseconds }) =>
      connection.write(async (query) => {
        const file = await hold(query, lease);
        if (!file) return undefined;
        const { organisation_id: organisationId, verification_enabled: verificationEnabled } = file;
        const text = JSON.stringify(result);
        const { verification_changes: changes } = await holdSetting(query, organisationId);
        const ended = await endAnalysis(query, file, { at, fromCache: false, verificationEnabled, result: text });
        if (recheckAfterMilliseconds !== undefined)
          await query(startRecheck, [file.file_id, organisationId, recheckAfterMilliseconds]);
        // Last, because other transactions may wait for this row: after it, this transaction takes no more locks.
        if (cacheable && changes === file.verification_changes)
          await query(saveCachedResult, [organisationId, file.content_sha256, text, at]);
        return ended;
      }),

    failAnalysis: (lease, { failure, at }) =>
      connection.write(async (query) => {
        const file = await hold(query, lease);
        if (!file) return undefined;
        const { verification_enabled: verificationEnabled } = file;
        return endAnalysis(query, file, { at, fromCache: false, verificationEnabled, failure });
      }),
  };
}

/** Locks the file of a lease until the end of the transaction; undefined if the lease is lost. */
async function hold(query: Query, { fileId, token }: Lease): Promise<HeldFile | undefined> {
  const { rowCount } = await query(lockHeld, [fileId, token]);
  return rowCount === 0 ? undefined : (await query<HeldFile>(readHeld, [fileId])).rows[0];
}
