import { StoreUnavailableError } from '../errors.ts';
import type { Connection, ExpectedRights, Held } from './connection.ts';
import { isUndone } from './faults.ts';
import { gather } from './gather.ts';
import { prepared } from './statement.ts';

/** An update of a verification setting with its audit entry, in the form that `update_verification_setting` takes. */
export interface SettingUpdate extends ExpectedRights {
  readonly organisation_id: string;
  readonly enabled: boolean;
  readonly entry_id: string;
  readonly entry_time: string;
  readonly entry_credential: string;
  readonly entry_action: string;
  readonly entry_after: string;
  readonly entry_request: string;
}

/** The result of an update; `enabled_before` is null if there is no such organisation. */
export interface SettingUpdated extends Held {
  place: number;
  enabled_before: boolean | null;
  cleared_results: number;
}

const update = prepared(`
  SELECT u.place, updated.*
  FROM json_to_recordset((
    SELECT $1::json FROM set_config('lock_timeout', coalesce($2, current_setting('lock_timeout')), true)
  )) AS u (
    place integer, credential_ids identifier[], organisation_ids identifier[], expected text[],
    organisation_id identifier, enabled boolean, entry_id identifier, entry_time instant, entry_credential identifier,
    entry_action text, entry_after text, entry_request text)
  CROSS JOIN LATERAL update_verification_setting(
    u.credential_ids, u.organisation_ids, u.expected, u.organisation_id, u.enabled, u.entry_id, u.entry_time,
    u.entry_credential, u.entry_action, u.entry_after, u.entry_request) AS updated`);

/** How long updates that share a transaction wait for a lock. */
const sharedLockTimeout = '10ms';

/**
 * Runs updates. Concurrent updates share a transaction, since the commit is what waits for the disk. Each succeeds or
 * fails independently: if one has to wait for a lock, or fails, the transaction is rolled back and each update runs by
 * itself.
 */
export function settingUpdates(connection: Connection): (update: SettingUpdate) => Promise<SettingUpdated> {
  const run = async (updates: readonly SettingUpdate[], lockTimeout: string | null): Promise<SettingUpdated[]> => {
    const json = JSON.stringify(updates.map((each, place) => ({ place, ...each })));
    const rows = await connection.writeAtOnce<SettingUpdated>(update, [json, lockTimeout]);
    return rows.toSorted((a, b) => a.place - b.place);
  };
  const runAlone = async (each: SettingUpdate) => (await run([each], null))[0] as SettingUpdated;
  return gather(async (updates): Promise<readonly (SettingUpdated | Promise<SettingUpdated>)[]> => {
    if (updates.length > 1)
      try {
        return await run(updates, sharedLockTimeout);
      } catch (error) {
        if (error instanceof StoreUnavailableError && !isUndone(error)) throw error;
      }
    return updates.map(runAlone);
  });
}
