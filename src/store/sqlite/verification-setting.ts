import { auditEntryOf } from '../audit-entry.js';
import { NotFoundError } from '../errors.js';
import type { Store } from '../store.js';
import type { Connection } from './connection.js';

export function verificationSettingStore(
  connection: Connection,
): Pick<
  Store,
  'readVerificationSetting' | 'updateVerificationSetting' | 'saveCachedAnalysisResult' | 'countCachedAnalysisResults'
> {
  const select = connection
    .prepare<[string], 0 | 1>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
    .pluck();
  const update = connection.prepare('UPDATE organisation SET verification_enabled = ? WHERE organisation_id = ?');
  const saveResult = connection.prepare(
    'INSERT OR REPLACE INTO cached_analysis_result (organisation_id, content_sha256, result, created_at) VALUES (?, ?, ?, ?)',
  );
  const clearResults = connection.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?');
  const countResults = connection
    .prepare<[string], number>('SELECT count(*) FROM cached_analysis_result WHERE organisation_id = ?')
    .pluck();
  const insertEntry = connection.prepare(`
    INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
    VALUES (@id, @occurred_at, @organisation_id, @credential_id, @action, @before, @after, @request_id, @cleared)`);

  const settingOf = (organisationId: string): boolean => {
    const enabled = select.get(organisationId);
    if (enabled === undefined) throw new NotFoundError('organisation', organisationId);
    return enabled === 1;
  };

  return {
    readVerificationSetting: (organisationId) => connection.read(() => settingOf(organisationId)),

    updateVerificationSetting: (change) =>
      connection.write(() => {
        const { organisationId, enabled } = change;
        const before = settingOf(organisationId);
        let cleared = 0;
        if (before !== enabled) {
          update.run(Number(enabled), organisationId);
          cleared = clearResults.run(organisationId).changes;
        }
        const entry = auditEntryOf(change, before, cleared);
        insertEntry.run({ ...entry, before: JSON.stringify(entry.before), after: JSON.stringify(entry.after) });
        return entry;
      }),

    saveCachedAnalysisResult: ({ organisation_id: id, content_sha256: contentSha256, result, created_at: createdAt }) =>
      connection.write(() => {
        settingOf(id);
        saveResult.run(id, contentSha256, JSON.stringify(result), createdAt);
      }),

    countCachedAnalysisResults: (organisationId) => connection.read(() => Number(countResults.get(organisationId))),
  };
}
