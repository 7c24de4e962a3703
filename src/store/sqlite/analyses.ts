import { type ChecksPreventedBy, mostAttempts } from '../../domain/analysis.ts';
import { checksPreventedBy } from '../checks-run.ts';
import type { Lease, Taking } from '../analysis-store.ts';
import type { Store } from '../store.ts';
import {
  type AnalysisFile,
  currencyOf,
  latestLeaseEnd,
  leaseEnd,
  type NextFile,
  rangesInTurn,
  takenAnalysisOf,
  timeAfter,
  workerLost,
} from '../stored-analysis.ts';
import { isCurrent } from '../cached-result.ts';
import type { ReadRegister } from '../company-register-import.ts';
import { readRegisters } from './company-register.ts';
import type { Connection } from './connection.ts';
import { analysisEnder } from './end-analysis.ts';
import { canBeTaken } from './read-analyses.ts';
import { saveCachedResult } from './verification-setting.ts';

/** Includes the setting of the previous attempt. */
type NextRow = NextFile & { verification_enabled: 0 | 1 | null };

/** What prevents verification checks for an organisation, and how often the setting has changed. */
interface Setting {
  checks_prevented_by: ChecksPreventedBy | null;
  verification_changes: number;
}

type HeldFile = AnalysisFile & {
  content_sha256: Uint8Array;
  verification_enabled: 0 | 1;
  verification_changes: number;
};

export function analysisStore(
  connection: Connection,
): Pick<Store, 'takeAnalysis' | 'renewLease' | 'releaseLease' | 'completeAnalysis' | 'failAnalysis'> {
  const findNext = connection.prepare<[string, string, string, string], NextRow>(`
    SELECT a.file_id, f.case_id, a.organisation_id, f.analysis_status, f.mime_type, a.content_sha256, a.attempts,
      a.verification_enabled
    FROM analysis a JOIN case_file f USING (file_id)
    WHERE ${canBeTaken} AND a.organisation_id > ? AND a.organisation_id < ?
    ORDER BY a.organisation_id, a.uploaded_at, a.file_id LIMIT 1`);
  const findSetting = connection.prepare<[string], Setting>(`
    SELECT ${checksPreventedBy} AS checks_prevented_by, verification_changes FROM organisation o WHERE organisation_id = ?`);
  const findCached = connection
    .prepare<[string, Uint8Array], string>(
      'SELECT result FROM cached_analysis_result WHERE organisation_id = ? AND content_sha256 = ?',
    )
    .pluck();
  const findRegisters = connection.prepare<[], ReadRegister>(readRegisters);
  const start = connection.prepare(`
    UPDATE analysis SET started_at = @at, verification_enabled = @checks_prevented_by IS NULL,
      verification_changes = @verification_changes
    WHERE file_id = @fileId`);
  const lend = connection.prepare(`
    UPDATE analysis SET lease_token = @token, lease_expires_at = @leaseExpiresAt, attempts = attempts + 1
    WHERE file_id = @fileId`);
  const renew = connection.prepare('UPDATE analysis SET lease_expires_at = ? WHERE file_id = ? AND lease_token = ?');
  const release = connection.prepare(`
    UPDATE analysis SET lease_token = NULL, lease_expires_at = NULL, attempts = attempts - 1
    WHERE file_id = @fileId AND lease_token = @token`);
  const findHeld = connection.prepare<Lease, HeldFile>(`
    SELECT a.file_id, f.case_id, a.organisation_id, f.analysis_status, a.content_sha256, a.verification_enabled,
      a.verification_changes
    FROM analysis a JOIN case_file f USING (file_id) WHERE a.file_id = @fileId AND a.lease_token = @token`);
  const setStatus = connection.prepare(
    'UPDATE case_file SET analysis_status = ?, analysis_completed_at = NULL WHERE file_id = ?',
  );
  const startRecheck = connection.prepare(
    'INSERT INTO evidence_recheck (file_id, organisation_id, due_at) VALUES (?, ?, ?)',
  );
  const cacheResult = connection.prepare(saveCachedResult);
  const end = analysisEnder(connection);
  const next = ({ at, turn }: Taking): NextRow | undefined => {
    for (const [from, to] of rangesInTurn(turn)) {
      const file = findNext.get(at, latestLeaseEnd(at), from, to);
      if (file) return file;
    }
    return undefined;
  };
  const settingOf = (organisationId: string) => findSetting.get(organisationId) as Setting;

  return {
    takeAnalysis: async (taking) => {
      const { at } = taking;
      // Look first without a lock, so that polling does not block writers.
      if (!(await connection.read(() => next(taking)))) return undefined;
      return connection.write(() => {
        const file = next(taking);
        if (!file) return undefined;
        const { file_id: fileId, organisation_id: organisationId } = file;
        const found = findCached.get(organisationId, file.content_sha256);
        const cached =
          found !== undefined && isCurrent(found, currencyOf(taking, findRegisters.all())) ? found : undefined;
        if (cached === undefined && file.attempts >= mostAttempts)
          return end(file, {
            at,
            fromCache: false,
            verificationEnabled: file.verification_enabled === 1,
            failure: workerLost,
          });
        const setting = settingOf(organisationId);
        const preventedBy = setting.checks_prevented_by;
        const verificationEnabled = preventedBy === null;
        start.run({ fileId, at, ...setting });
        if (cached !== undefined) return end(file, { at, fromCache: true, verificationEnabled, result: cached });
        const taken = takenAnalysisOf(file, preventedBy);
        lend.run({ ...taken.lease, leaseExpiresAt: leaseEnd(taking) });
        setStatus.run(taken.analysis_status, fileId);
        return taken;
      });
    },

    renewLease: ({ fileId, token }, time) =>
      connection.write(() => renew.run(leaseEnd(time), fileId, token).changes === 1),

    releaseLease: (lease) =>
      connection.write(() => {
        if (release.run(lease).changes === 0) return false;
        setStatus.run('waiting_for_analysis', lease.fileId);
        return true;
      }),

    completeAnalysis: (lease, { result, cacheable, at, recheckAfterMilliseconds }) =>
      connection.write(() => {
        const file = findHeld.get(lease);
        if (!file) return undefined;
        const text = JSON.stringify(result);
        const unchanged = settingOf(file.organisation_id).verification_changes === file.verification_changes;
        if (recheckAfterMilliseconds !== undefined)
          startRecheck.run(file.file_id, file.organisation_id, timeAfter(at, recheckAfterMilliseconds));
        if (cacheable && unchanged) cacheResult.run(file.organisation_id, file.content_sha256, text, at);
        return end(file, { at, fromCache: false, verificationEnabled: file.verification_enabled === 1, result: text });
      }),

    failAnalysis: (lease, { failure, at }) =>
      connection.write(() => {
        const file = findHeld.get(lease);
        return (
          file && end(file, { at, fromCache: false, verificationEnabled: file.verification_enabled === 1, failure })
        );
      }),
  };
}
