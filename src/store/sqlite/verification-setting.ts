import { auditEntryOf } from '../audit-entry.ts';
import { NotFoundError } from '../errors.ts';
import { auditWriter } from './audit.ts';
import type { Connection } from './connection.ts';
import type { StorePart } from './store-part.ts';

/** Replaces an earlier result for the same content. */
export const saveCachedResult =
  'INSERT OR REPLACE INTO cached_analysis_result (organisation_id, content_sha256, result, created_at) VALUES (?, ?, ?, ?)';

/**
 * Saves the setting, within a transaction that changes whether checks run. It clears the cached results, and prevents
 * analyses in flight from caching theirs. Returns the number of results cleared.
 */
export function checksChanger(connection: Connection): (organisationId: string, setting: boolean) => number {
  const save = connection.prepare(`
    UPDATE organisation SET verification_enabled = ?, verification_changes = verification_changes + 1
    WHERE organisation_id = ?`);
  const clear = connection.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?');
  return (organisationId, setting) => {
    save.run(Number(setting), organisationId);
    return clear.run(organisationId).changes;
  };
}

export function verificationSettingStore(
  connection: Connection,
): StorePart<
  'readVerificationSetting' | 'updateVerificationSetting' | 'saveCachedAnalysisResult' | 'countCachedAnalysisResults'
> {
  const select = connection
    .prepare<[string], 0 | 1>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
    .pluck();
  const saveResult = connection.prepare(saveCachedResult);
  const changeChecks = checksChanger(connection);
  const countResults = connection
    .prepare<[string], number>('SELECT count(*) FROM cached_analysis_result WHERE organisation_id = ?')
    .pluck();
  const writeEntry = auditWriter(connection);

  const settingOf = (organisationId: string): boolean => {
    const enabled = select.get(organisationId);
    if (enabled === undefined) throw new NotFoundError('organisation', organisationId);
    return enabled === 1;
  };

  return ({ read, write }) => ({
    readVerificationSetting: (organisationId, readAlong) =>
      readAlong?.organisationId === organisationId
        ? Promise.resolve(readAlong.verificationEnabled)
        : read(() => settingOf(organisationId)),

    updateVerificationSetting: (update) =>
      write(() => {
        const { organisationId, enabled } = update;
        const before = settingOf(organisationId);
        const cleared = before === enabled ? 0 : changeChecks(organisationId, enabled);
        const entry = auditEntryOf(update, before, cleared);
        writeEntry(entry);
        return entry;
      }),

    saveCachedAnalysisResult: ({ organisation_id: id, content_sha256: contentSha256, result, created_at: createdAt }) =>
      write(() => {
        settingOf(id);
        saveResult.run(id, contentSha256, JSON.stringify(result), createdAt);
      }),

    countCachedAnalysisResults: (organisationId) => read(() => Number(countResults.get(organisationId))),
  });
}
