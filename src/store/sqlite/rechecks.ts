import { checksRun } from '../checks-run.ts';
import { isCurrent } from '../cached-result.ts';
import type { Lease } from '../analysis-store.ts';
import type { ReadRegister } from '../company-register-import.ts';
import type { CachedResultKey, RecheckStore } from '../recheck-store.ts';
import { currencyOf, leaseEnd, rangesInTurn, timeAfter } from '../stored-analysis.ts';
import { type DueRecheck, laterAnswersOf, takenRecheckOf } from '../stored-recheck.ts';
import { auditWriter } from './audit.ts';
import { readRegisters } from './company-register.ts';
import type { Connection } from './connection.ts';
import { saveCachedResult } from './verification-setting.ts';

type Row = Omit<DueRecheck, 'wanted'> & { wanted: 0 | 1 };
type CachedRow = [organisationId: string, contentSha256: Uint8Array, result: string];

const recheck = `
  SELECT r.file_id, r.organisation_id, r.attempts, f.mime_type, a.content_sha256, a.result, a.later_evidence,
    (SELECT ${checksRun} AND o.verification_changes = a.verification_changes
      FROM organisation o WHERE o.organisation_id = r.organisation_id) AS wanted
  FROM evidence_recheck r JOIN analysis a USING (file_id) JOIN case_file f USING (file_id)`;

export function recheckStore(connection: Connection): RecheckStore {
  const anyDue = connection.prepare<[string]>('SELECT 1 FROM evidence_recheck WHERE due_at <= ? LIMIT 1');
  const findDue = connection.prepare<[string, string, string], Row>(`${recheck}
    WHERE r.due_at <= ? AND r.organisation_id > ? AND r.organisation_id < ?
    ORDER BY r.organisation_id, r.due_at, r.file_id LIMIT 1`);
  const findHeld = connection.prepare<Lease, Row>(`${recheck} WHERE r.file_id = @fileId AND r.lease_token = @token`);
  const lend = connection.prepare(`
    UPDATE evidence_recheck SET lease_token = @token, due_at = @leaseExpiresAt, attempts = attempts + 1
    WHERE file_id = @fileId`);
  const renew = connection.prepare('UPDATE evidence_recheck SET due_at = ? WHERE file_id = ?');
  const release = connection.prepare(`
    UPDATE evidence_recheck SET lease_token = NULL, due_at = @at, attempts = attempts - 1
    WHERE file_id = @fileId AND lease_token = @token`);
  const postpone = connection.prepare(
    'UPDATE evidence_recheck SET lease_token = NULL, due_at = ?, attempts = iif(?, 0, attempts) WHERE file_id = ?',
  );
  const end = connection.prepare('DELETE FROM evidence_recheck WHERE file_id = ?');
  const saveEvidence = connection.prepare('UPDATE analysis SET later_evidence = ? WHERE file_id = ?');
  const cacheResult = connection.prepare(saveCachedResult);
  const count = connection.prepare<[], number>('SELECT count(*) FROM evidence_recheck').pluck();
  const writeEntry = auditWriter(connection);
  const pruning = cachePruning(connection);

  const due = (at: string, after: string): DueRecheck | undefined => {
    for (const [from, to] of rangesInTurn({ after, busy: [] })) {
      const row = findDue.get(at, from, to);
      if (row) return { ...row, wanted: row.wanted === 1 };
    }
    return undefined;
  };

  return {
    takeRecheck: async ({ after, ...time }) => {
      const { at } = time;
      // Look first without a lock, so that polling does not block writers.
      if (!(await connection.read(() => anyDue.get(at)))) return undefined;
      return connection.write(() => {
        const file = due(at, after);
        if (!file) return undefined;
        const taken = takenRecheckOf(file);
        if (taken.status === 'given_up') end.run(file.file_id);
        else lend.run({ ...taken.lease, leaseExpiresAt: leaseEnd(time) });
        return taken;
      });
    },

    renewRecheck: (lease, time) =>
      connection.write(() => {
        const held = findHeld.get(lease)?.wanted === 1;
        if (held) renew.run(leaseEnd(time), lease.fileId);
        return held;
      }),

    releaseRecheck: (lease, at) => connection.write(() => void release.run({ ...lease, at })),

    saveRecheck: (lease, { laterEvidence, dueAfterMilliseconds, at }) =>
      connection.write(() => {
        const file = findHeld.get(lease);
        if (!file) return undefined;
        if (file.wanted === 0) {
          end.run(file.file_id);
          return 'given_up';
        }
        const { laterEvidence: text, answered, whole, entry } = laterAnswersOf(file, laterEvidence, at);
        if (dueAfterMilliseconds === undefined) end.run(file.file_id);
        else postpone.run(timeAfter(at, dueAfterMilliseconds), Number(answered), file.file_id);
        if (!answered) return 'saved';
        saveEvidence.run(text, file.file_id);
        if (whole !== undefined) cacheResult.run(file.organisation_id, file.content_sha256, whole, at);
        writeEntry(entry);
        return 'saved';
      }),

    countRechecks: () => connection.read(() => Number(count.get())),
    pruneCachedResults: pruning,
  };
}

function cachePruning(connection: Connection): RecheckStore['pruneCachedResults'] {
  const findNext = connection
    .prepare<[string, Uint8Array, number], CachedRow>(`
      SELECT organisation_id, content_sha256, result FROM cached_analysis_result
      WHERE (organisation_id, content_sha256) > (?, ?) ORDER BY organisation_id, content_sha256 LIMIT ?`)
    .raw();
  const findRegisters = connection.prepare<[], ReadRegister>(readRegisters);
  // Does not delete a result that has replaced the outdated one in the meantime.
  const remove = connection.prepare(
    'DELETE FROM cached_analysis_result WHERE organisation_id = ? AND content_sha256 = ? AND result = ?',
  );
  const first: CachedResultKey = ['', new Uint8Array()];

  return async ({ after = first, limit, ...judging }) => {
    const { found, outdated } = await connection.read(() => {
      const rows = findNext.all(...after, limit);
      const currency = currencyOf(judging, findRegisters.all());
      return { found: rows, outdated: rows.filter(([, , result]) => !isCurrent(result, currency)) };
    });
    const last = found.length < limit ? undefined : found.at(-1);
    const next: CachedResultKey | undefined = last && [last[0], last[1]];
    if (outdated.length === 0) return { deleted: 0, next };
    const deleted = await connection.write(() =>
      outdated.reduce((total, row) => total + remove.run(...row).changes, 0),
    );
    return { deleted, next };
  };
}
