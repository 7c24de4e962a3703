import { checksRun } from '../checks-run.ts';
import { isCurrent } from '../cached-result.ts';
import type { Lease } from '../analysis-store.ts';
import type { ReadRegister } from '../company-register-import.ts';
import type { CachedResultKey, RecheckStore } from '../recheck-store.ts';
import { currencyOf, rangesInTurn } from '../stored-analysis.ts';
import { type DueRecheck, laterAnswersOf, takenRecheckOf } from '../stored-recheck.ts';
import { writeAuditEntry } from './audit.ts';
import { readRegisters } from './company-register.ts';
import type { Connection, Query } from './connection.ts';
import { databaseTime } from './database-clock.ts';
import { prepared } from './statement.ts';
import { holdSetting } from './take-analysis.ts';
import { saveCachedResult } from './verification-setting.ts';

interface CachedRow {
  organisation_id: string;
  content_sha256: Uint8Array;
  result: string;
}

const isDue = `due_at <= ${databaseTime()}`;
const anyDue = prepared(`SELECT FROM evidence_recheck WHERE ${isDue} LIMIT 1`);
// Skips a file that another worker is taking.
const lockDue = prepared(`
  SELECT file_id, organisation_id FROM evidence_recheck
  WHERE ${isDue} AND organisation_id > $1 AND organisation_id < $2
  ORDER BY organisation_id, due_at, file_id LIMIT 1 FOR UPDATE SKIP LOCKED`);
const lockHeld = prepared(
  'SELECT file_id, organisation_id FROM evidence_recheck WHERE file_id = $1 AND lease_token = $2 FOR UPDATE',
);
const read = prepared(`
  SELECT r.file_id, r.organisation_id, r.attempts, f.mime_type, a.content_sha256, a.result, a.later_evidence,
    ${checksRun} AND o.verification_changes = a.verification_changes AS wanted
  FROM evidence_recheck r JOIN analysis a USING (file_id) JOIN case_file f USING (file_id)
    JOIN organisation o ON o.organisation_id = r.organisation_id
  WHERE r.file_id = $1`);
const lend = prepared(`
  UPDATE evidence_recheck SET lease_token = $2, due_at = ${databaseTime('$3::float8')}, attempts = attempts + 1
  WHERE file_id = $1`);
const renew = prepared(`UPDATE evidence_recheck SET due_at = ${databaseTime('$2::float8')} WHERE file_id = $1`);
const release = prepared(`
  UPDATE evidence_recheck SET lease_token = NULL, due_at = ${databaseTime()}, attempts = attempts - 1
  WHERE file_id = $1 AND lease_token = $2`);
const postpone = prepared(`
  UPDATE evidence_recheck SET lease_token = NULL, due_at = ${databaseTime('$2::float8')},
    attempts = CASE WHEN $3 THEN 0 ELSE attempts END
  WHERE file_id = $1`);
const end = prepared('DELETE FROM evidence_recheck WHERE file_id = $1');
const saveEvidence = prepared('UPDATE analysis SET later_evidence = $2 WHERE file_id = $1');
const count = prepared('SELECT count(*)::integer AS files FROM evidence_recheck');

const findCached = prepared(`
  SELECT organisation_id, content_sha256, result FROM cached_analysis_result
  WHERE (organisation_id, content_sha256) > ($1, $2) ORDER BY organisation_id, content_sha256 LIMIT $3`);
// Does not delete a result that has replaced the outdated one in the meantime.
const deleteCached = prepared(`
  DELETE FROM cached_analysis_result c USING unnest($1::text[], $2::bytea[], $3::text[]) AS old (id, sha256, result)
  WHERE c.organisation_id = old.id AND c.content_sha256 = old.sha256 AND c.result = old.result`);

export function recheckStore(connection: Connection): RecheckStore {
  return {
    takeRecheck: async ({ after, leaseMilliseconds }) => {
      // Polling costs one statement without a transaction.
      if ((await connection.query(anyDue)).rowCount === 0) return undefined;
      return connection.write(async (query) => {
        const file = await holdDue(query, after);
        if (!file) return undefined;
        const taken = takenRecheckOf(file);
        if (taken.status === 'given_up') await query(end, [file.file_id]);
        else await query(lend, [file.file_id, taken.lease.token, leaseMilliseconds]);
        return taken;
      });
    },

    renewRecheck: (lease, { leaseMilliseconds }) =>
      connection.write(async (query) => {
        const held = (await hold(query, lease))?.wanted === true;
        if (held) await query(renew, [lease.fileId, leaseMilliseconds]);
        return held;
      }),

    releaseRecheck: async ({ fileId, token }) => {
      await connection.write((query) => query(release, [fileId, token]));
    },

    saveRecheck: (lease, { laterEvidence, dueAfterMilliseconds, at }) =>
      connection.write(async (query) => {
        const file = await hold(query, lease);
        if (!file) return undefined;
        if (!file.wanted) {
          await query(end, [file.file_id]);
          return 'given_up';
        }
        const { laterEvidence: text, answered, whole, entry } = laterAnswersOf(file, laterEvidence, at);
        if (dueAfterMilliseconds === undefined) await query(end, [file.file_id]);
        else await query(postpone, [file.file_id, dueAfterMilliseconds, answered]);
        if (!answered) return 'saved';
        await query(saveEvidence, [file.file_id, text]);
        await writeAuditEntry(query, entry);
        // Last, because other transactions may wait for this row: after it, this transaction takes no more locks.
        if (whole !== undefined) await query(saveCachedResult, [file.organisation_id, file.content_sha256, whole, at]);
        return 'saved';
      }),

    countRechecks: async () => Number((await connection.query<{ files: number }>(count)).rows[0]?.files),
    pruneCachedResults: pruning(connection),
  };
}

interface Locked {
  file_id: string;
  organisation_id: string;
}

async function holdDue(query: Query, after: string): Promise<DueRecheck | undefined> {
  for (const range of rangesInTurn({ after, busy: [] })) {
    const { rows } = await query<Locked & object>(lockDue, range);
    if (rows[0]) return withSetting(query, rows[0]);
  }
  return undefined;
}

/** Locks the file of a lease until the end of the transaction; undefined if the lease is lost. */
async function hold(query: Query, { fileId, token }: Lease): Promise<DueRecheck | undefined> {
  const { rows } = await query<Locked & object>(lockHeld, [fileId, token]);
  return rows[0] && withSetting(query, rows[0]);
}

/** Reads a recheck, and locks the organisation's setting until the end of the transaction. */
async function withSetting(query: Query, { file_id: fileId, organisation_id: id }: Locked): Promise<DueRecheck> {
  await holdSetting(query, id);
  return (await query<DueRecheck & object>(read, [fileId])).rows[0] as DueRecheck;
}

function pruning(connection: Connection): RecheckStore['pruneCachedResults'] {
  const first: CachedResultKey = ['', new Uint8Array()];
  return async ({ after = first, limit, ...judging }) => {
    const { rows } = await connection.query<CachedRow & object>(findCached, [...after, limit]);
    const { rows: registers } = await connection.query<ReadRegister & object>(readRegisters);
    const currency = currencyOf(judging, registers);
    const outdated = rows.filter(({ result }) => !isCurrent(result, currency));
    const last = rows.length < limit ? undefined : rows.at(-1);
    const next: CachedResultKey | undefined = last && [last.organisation_id, last.content_sha256];
    if (outdated.length === 0) return { deleted: 0, next };
    const { rowCount } = await connection.write((query) =>
      query(deleteCached, [
        outdated.map(({ organisation_id: id }) => id),
        outdated.map(({ content_sha256: sha256 }) => sha256),
        outdated.map(({ result }) => result),
      ]),
    );
    return { deleted: rowCount ?? 0, next };
  };
}
