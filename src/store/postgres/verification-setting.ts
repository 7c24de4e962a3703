import { auditEntryOf } from '../audit-entry.ts';
import { NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import type { Connection, Query } from './connection.ts';
import { settingUpdates } from './setting-updates.ts';
import { prepared } from './statement.ts';

interface Held {
  enabled: boolean;
}

const select = prepared('SELECT verification_enabled AS enabled FROM organisation WHERE organisation_id = $1');
// Serialises the updates of one organisation, as in `update_verification_setting`.
const selectForUpdate = prepared(
  'SELECT verification_enabled AS enabled FROM organisation WHERE organisation_id = $1 FOR UPDATE',
);
const save = prepared(`
  UPDATE organisation SET verification_enabled = $1, verification_changes = verification_changes + 1
  WHERE organisation_id = $2`);
/** Replaces an earlier result for the same content. */
export const saveCachedResult = prepared(`
  INSERT INTO cached_analysis_result (organisation_id, content_sha256, result, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organisation_id, content_sha256) DO UPDATE SET result = excluded.result, created_at = excluded.created_at`);
const clearResults = prepared('DELETE FROM cached_analysis_result WHERE organisation_id = $1');
const countResults = prepared(
  'SELECT count(*)::integer AS results FROM cached_analysis_result WHERE organisation_id = $1',
);

/** @param update runs an update; concurrent updates may share a transaction */
export function verificationSettingStore(
  connection: Connection,
  update = settingUpdates(connection),
): Pick<
  Store,
  'readVerificationSetting' | 'updateVerificationSetting' | 'saveCachedAnalysisResult' | 'countCachedAnalysisResults'
> {
  return {
    readVerificationSetting: async (organisationId, readAlong) => {
      if (readAlong?.organisationId === organisationId) return readAlong.verificationEnabled;
      return settingOf(await connection.query<Held>(select, [organisationId]), organisationId);
    },

    updateVerificationSetting: async (change) => {
      const { organisationId, enabled } = change;
      const entry = auditEntryOf(change, !enabled, 0);
      const { enabled_before: before, cleared_results: cleared } = await connection.withExpectedRights((expected) =>
        update({
          ...expected,
          organisation_id: organisationId,
          enabled,
          entry_id: entry.id,
          entry_time: entry.occurred_at,
          entry_credential: entry.credential_id,
          entry_action: entry.action,
          entry_after: JSON.stringify(entry.after),
          entry_request: entry.request_id,
        }),
      );
      if (before === null) throw new NotFoundError('organisation', organisationId);
      return { ...entry, before: { enabled: before }, cleared };
    },

    saveCachedAnalysisResult: ({ organisation_id: id, content_sha256: contentSha256, result, created_at: createdAt }) =>
      connection.write(async (query) => {
        settingOf(await query<Held>(select, [id]), id);
        await query(saveCachedResult, [id, contentSha256, JSON.stringify(result), createdAt]);
      }),

    countCachedAnalysisResults: async (organisationId) => {
      const { rows } = await connection.query<{ results: number }>(countResults, [organisationId]);
      return Number(rows[0]?.results);
    },
  };
}

/**
 * Reads an organisation's setting, and locks it against changes and reads by analyses until the end of the transaction.
 * @throws {NotFoundError} if there is no such organisation
 */
export async function lockSetting(query: Query, organisationId: string): Promise<boolean> {
  return settingOf(await query<Held>(selectForUpdate, [organisationId]), organisationId);
}

/**
 * Saves the setting, within a transaction that changes whether checks run. It clears the cached results, and prevents
 * analyses in flight from caching theirs. Returns the number of results cleared.
 */
export async function changeChecks(query: Query, organisationId: string, setting: boolean): Promise<number> {
  await query(save, [setting, organisationId]);
  return Number((await query(clearResults, [organisationId])).rowCount);
}

function settingOf({ rows }: { rows: Held[] }, organisationId: string): boolean {
  const [held] = rows;
  if (!held) throw new NotFoundError('organisation', organisationId);
  return held.enabled;
}
