/** What requests of the API pass through, in statements that each connection prepares once: measured. */
import { auditEntryOf } from '../../domain/audit.ts';
import { type CaseDialect, type CaseSource, caseSourceOn, type ReadRow } from '../case-texts/case-source.ts';
import type { CredentialWithRights, HeldRights, RequestStore } from '../store.ts';
import { NotFoundError, StoreUnavailableError } from '../errors.ts';
import { type Connection, type ExpectedRights, type Held, canHold, type Query } from './connection.ts';
import { gather } from '../gather.ts';
import { isUndone } from './client.ts';

/**
 * Finds the credentials of several secrets. The setting and the revision are limited to each credential's organisation;
 * the rights have the form of `hold_rights`. A lateral subquery looks up each secret on its own: a join could scan whole
 * tables, as the planner cannot estimate the number of secrets. The subqueries in `unnest` hide the length of the arrays,
 * for each of which the planner would make a new plan.
 */
const findBySecrets = `
  SELECT asked.place::integer, c.*
  FROM unnest((SELECT $1::bytea[]), (SELECT $2::text[])) WITH ORDINALITY AS asked (secret_sha256, case_id, place)
  CROSS JOIN LATERAL (
    SELECT credential_id, organisation_id, secret_sha256,
      json_build_object(
        'credential', json_build_object('kind', kind, 'expires_at', expires_at, 'revoked_at', revoked_at),
        'permissions', ARRAY(SELECT permission FROM role_permission p WHERE p.role = c.role ORDER BY permission),
        'features', ARRAY(
          SELECT feature FROM organisation_feature f WHERE f.organisation_id = c.organisation_id ORDER BY feature)
      )::text AS rights,
      (SELECT verification_enabled FROM organisation o WHERE o.organisation_id = c.organisation_id) AS enabled,
      (SELECT revision FROM case_record r JOIN case_revision USING (case_id)
        WHERE case_id = asked.case_id AND r.organisation_id = c.organisation_id) AS revision
    FROM credential c WHERE secret_sha256 = asked.secret_sha256 OFFSET 0) c`;
const features = `
  SELECT
    ARRAY(SELECT feature FROM organisation_feature f WHERE f.organisation_id = o.organisation_id ORDER BY feature)::text[]
      AS features
  FROM organisation o WHERE organisation_id = $1`;
const select = 'SELECT verification_enabled AS enabled FROM organisation WHERE organisation_id = $1';
const update = `
  SELECT * FROM update_verification_settings((
    SELECT $1::json FROM set_config('lock_timeout', coalesce($2, current_setting('lock_timeout')), true)))`;

interface FoundRow extends Pick<CredentialWithRights, 'credential_id' | 'organisation_id' | 'secret_sha256'> {
  /** The position of the secret, from 1. */
  place: number;
  rights: string;
  enabled: boolean;
  revision: string | null;
}

/** An update of a verification setting with its audit entry, in the form that `update_verification_settings` takes. */
type SettingUpdate = ExpectedRights & Readonly<Record<string, unknown>>;

/** The result of an update; `enabled_before` is null if there is no such organisation. */
interface SettingUpdated extends Held {
  enabled_before: boolean | null;
  cleared_results: number;
}

/** @param update runs an update; concurrent updates may share a transaction */
export function requestStore(connection: Connection, update: ReturnType<typeof settingUpdates>): RequestStore {
  const find = gather(async (asked: readonly { secretSha256: Uint8Array; caseId: string | undefined }[]) => {
    const values = [asked.map(({ secretSha256 }) => secretSha256), asked.map(({ caseId }) => caseId ?? null)];
    const { rows } = await connection.query<FoundRow & object>(findBySecrets, values);
    const found = Array.from<CredentialWithRights | undefined>({ length: asked.length });
    for (const row of rows) found[row.place - 1] = foundCredential(row, asked[row.place - 1]?.caseId);
    return found.map((credential) => () => credential);
  }, setImmediate);
  return {
    findCredential: (secretSha256, caseId) =>
      find({ secretSha256, caseId: caseId !== undefined && canHold(caseId) ? caseId : undefined }),

    findFeatures: async (organisationId) => {
      const { rows } = await connection.query<{ features: string[] }>(features, [organisationId]);
      return rows[0]?.features;
    },

    readVerificationSetting: async (organisationId, prefetched) => {
      if (prefetched?.organisationId === organisationId) return prefetched.verificationEnabled;
      const [setting] = (await connection.query<{ enabled: boolean }>(select, [organisationId])).rows;
      if (!setting) throw new NotFoundError('organisation', organisationId);
      return setting.enabled;
    },

    updateVerificationSetting: async (change) => {
      const { organisationId, enabled } = change;
      const entry = auditEntryOf(change, !enabled, 0);
      const { enabled_before: before, cleared_results: cleared } = await connection.withExpectedRights((expected) =>
        update({ ...expected, ...entry, enabled, after: JSON.stringify(entry.after) }),
      );
      if (before === null) throw new NotFoundError('organisation', organisationId);
      return { ...entry, before: { enabled: before }, cleared };
    },
  };
}

function foundCredential(
  { place: _, rights, enabled: verificationEnabled, revision, ...row }: FoundRow,
  caseId: string | undefined,
): CredentialWithRights {
  const { credential, ...held } = JSON.parse(rights) as HeldRights & Pick<Required<HeldRights>, 'credential'>;
  const foundCase = caseId === undefined ? undefined : { id: caseId, revision };
  const prefetched = { organisationId: row.organisation_id, rights, verificationEnabled, case: foundCase };
  return { ...row, ...(credential as NonNullable<typeof credential>), ...held, prefetched };
}

/** How long updates that share a transaction wait for a lock. */
const sharedLockTimeout = '10ms';

/**
 * Runs updates. Concurrent ones share a transaction, since the commit is what waits for the disk. Each succeeds or fails
 * independently: if one has to wait for a lock, or fails, the transaction is rolled back and each runs by itself.
 */
export function settingUpdates(connection: Connection): (update: SettingUpdate) => Promise<SettingUpdated> {
  const run = (updates: readonly SettingUpdate[], lockTimeout: string | null) =>
    connection.writeAtOnce<SettingUpdated>(update, [JSON.stringify(updates), lockTimeout]);
  const runAlone = async (each: SettingUpdate) => (await run([each], null))[0] as SettingUpdated;
  return gather<SettingUpdate, SettingUpdated>(async (updates) => {
    if (updates.length > 1)
      try {
        return (await run(updates, sharedLockTimeout)).map((updated) => () => updated);
      } catch (error) {
        if (error instanceof StoreUnavailableError && !isUndone(error)) throw error;
      }
    return updates.map((each) => () => runAlone(each));
  }, setImmediate);
}

const caseDialect: CaseDialect = {
  filesAsJson: "string_agg(row_to_json(f)::text, ',' ORDER BY uploaded_at, file_id)",
  join: 'CROSS JOIN LATERAL',
  caseId: 'c.case_id',
};

/** Without table statistics, PostgreSQL would expect few files, and sort all remaining files for each part. */
const alongTheKey = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export function postgresCaseSource(connection: Connection): CaseSource {
  const readerOn =
    (query: Query): ReadRow =>
    async <Row extends object>(statement: string, ...values: string[]) =>
      values.every(canHold) ? (await query<Row>(statement, values)).rows[0] : undefined;
  return caseSourceOn(caseDialect, {
    read: readerOn(connection.query),
    inSnapshot: (work) =>
      connection.readSnapshot(async (query) => {
        await query(alongTheKey);
        return work(readerOn(query));
      }),
  });
}
