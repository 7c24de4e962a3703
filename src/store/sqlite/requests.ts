/** What requests of the API pass through, in statements that are compiled once: measured, and faster than a query builder. */
import Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { auditEntryOf } from '../../domain/audit.ts';
import type { Prefetched } from '../../domain/principal.ts';
import {
  type CaseDialect,
  type CaseSource,
  caseSourceOn,
  fileColumns,
  type ReadRow,
  selectRevision,
} from '../case-texts/case-source.ts';
import { NotFoundError } from '../errors.ts';
import type { Authorisation, Caller, CredentialWithRights, HeldRights, RequestStore } from '../store.ts';
import { type Access, Connection, keep, type KeptCredential, type KeptSetting } from './connection.ts';

type CredentialRow = Omit<CredentialWithRights, 'permissions' | 'features' | 'prefetched'> & {
  permissions: string;
  features: string;
  enabled: 0 | 1;
};

/** The features of the organisation of a row `c`, as JSON. In SQLite, subqueries are several times faster than joins. */
const featuresColumn =
  '(SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = c.organisation_id) AS features';
const selectCredential = `
  SELECT credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256,
    (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = c.role) AS permissions, ${featuresColumn},
    (SELECT verification_enabled FROM organisation o WHERE o.organisation_id = c.organisation_id) AS enabled
  FROM credential c`;

/** Compiles the statements of a connection. */
export function requestsOf(connection: Connection) {
  const { kept } = connection;
  const findBySecret = connection.prepare<[Uint8Array], CredentialRow>(`${selectCredential} WHERE secret_sha256 = ?`);
  const findById = connection.prepare<[string], CredentialRow>(`${selectCredential} WHERE credential_id = ?`);
  const findRevision = connection.prepare<{ 1: string; 2: string }, string>(selectRevision).pluck();
  const selectFeatures = connection
    .prepare<[string], string>(`SELECT ${featuresColumn} FROM organisation c WHERE organisation_id = ?`)
    .pluck();
  const select = connection
    .prepare<[string], 0 | 1>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
    .pluck();
  const save = connection.prepare(`
    UPDATE organisation SET verification_enabled = ?, verification_changes = verification_changes + 1
    WHERE organisation_id = ?`);
  // The change also prevents analyses in flight from caching their results.
  const clear = connection.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?');
  const writeEntry = connection.prepare(`
    INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  const settingOf = (organisationId: string): boolean => {
    const enabled = select.get(organisationId);
    if (enabled === undefined) throw new NotFoundError('organisation', organisationId);
    return enabled === 1;
  };

  const featuresOf = (organisationId: string): string[] | undefined => {
    const json = selectFeatures.get(organisationId);
    return json === undefined ? undefined : listOf(json);
  };

  const credentialOf = (secretSha256: Buffer) =>
    keep(kept.credentials, secretSha256.toString('latin1'), () => {
      const row = findBySecret.get(secretSha256);
      const credential = row && withRights(row);
      if (!credential) return undefined;
      kept.rights.set(credential.credential_id, credential);
      const setting = { enabled: row.enabled === 1 };
      kept.settings.set(credential.organisation_id, setting);
      return { credential, setting };
    });

  /** The setting that is kept with a credential, as long as it is kept for the organisation. */
  const keptSettingOf = (found: KeptCredential): boolean => {
    const { organisation_id: organisationId } = found.credential;
    if (found.setting.enabled === undefined) {
      const readSetting = () => ({ enabled: settingOf(organisationId) });
      found.setting = keep(kept.settings, organisationId, readSetting) as KeptSetting;
    }
    return found.setting.enabled === true;
  };

  const rightsOf = ({ credentialId, organisationId }: Caller): HeldRights | undefined => {
    const row = kept.rights.has(credentialId) ? undefined : findById.get(credentialId);
    const credential = row ? withRights(row) : kept.rights.get(credentialId);
    if (credential?.organisation_id === organisationId)
      return { credential, permissions: credential.permissions, features: credential.features };
    const features = featuresOf(organisationId);
    return features && { credential: undefined, permissions: [], features };
  };

  const revisionOf = (organisationId: string, caseId: string) =>
    keep(kept.revisions, `${organisationId} ${caseId}`, () => findRevision.get({ 1: caseId, 2: organisationId }));

  return {
    /** How an access reads and writes what requests need. */
    on: (access: Access): RequestStore => ({
      findCredential: (secretSha256, caseId) =>
        access.read(() => {
          const found = credentialOf(secretSha256);
          if (!found) return undefined;
          const { credential } = found;
          const { organisation_id: organisationId } = credential;
          const prefetched: Prefetched = { organisationId, verificationEnabled: keptSettingOf(found) };
          if (caseId === undefined) return { ...credential, prefetched };
          const revision = revisionOf(organisationId, caseId) ?? null;
          return { ...credential, prefetched: { ...prefetched, case: { id: caseId, revision } } };
        }),

      findFeatures: (organisationId) => access.read(() => featuresOf(organisationId)),

      readVerificationSetting: (organisationId, prefetched) =>
        prefetched?.organisationId === organisationId
          ? Promise.resolve(prefetched.verificationEnabled)
          : access.read(() => settingOf(organisationId)),

      updateVerificationSetting: (update) =>
        access.write(() => {
          const { organisationId, enabled } = update;
          const before = settingOf(organisationId);
          let cleared = 0;
          if (before !== enabled) {
            save.run(Number(enabled), organisationId);
            cleared = clear.run(organisationId).changes;
          }
          const entry = auditEntryOf(update, before, cleared);
          const { id, occurred_at, credential_id, action, request_id } = entry;
          const values = [JSON.stringify(entry.before), JSON.stringify(entry.after)];
          writeEntry.run(id, occurred_at, organisationId, credential_id, action, ...values, request_id, cleared);
          return entry;
        }, update.organisationId),
    }),

    /** An access that checks an authorisation at the start of each write. No other process can write in between. */
    authorised: ({ callers, check }: Authorisation): Access => ({
      read: (work) => connection.read(work),
      write: (work, settingOf) =>
        connection.write(() => {
          check(callers.map(rightsOf));
          return work();
        }, settingOf),
    }),
  };
}

/** Few lists differ. Shared ones take less memory, and stay in the processor's cache. */
const lists = new LRUCache<string, string[]>({ max: 1000 });

const listOf = (json: string) => keep(lists, json, () => Object.freeze(JSON.parse(json)) as string[]) as string[];

function withRights({ enabled: _, permissions, features, ...columns }: CredentialRow): CredentialWithRights {
  return { ...columns, permissions: listOf(permissions), features: listOf(features) };
}

export const caseDialect: CaseDialect = {
  filesAsJson: `group_concat(json_object(${fileColumns.replaceAll(/\w+/g, "'$&', $&")}))`,
  join: 'CROSS JOIN',
  caseId: '(SELECT case_id FROM case_record WHERE case_id = $1 AND organisation_id = $2)',
};

/** The embedded store's source for the texts of cases. It reads large cases over a separate connection. */
export function sqliteCaseSource(connection: Connection): CaseSource & { close(): void } {
  let second: { connection: Connection; read: ReadRow } | undefined;
  const openSecond = () => {
    const { database, file } = connection;
    const opened = new Connection(new Sqlite(database.name, { readonly: true, timeout: 0 }), file);
    file.requireInPlace();
    return { connection: opened, read: readerOn(opened) };
  };
  return {
    ...caseSourceOn(caseDialect, {
      read: readerOn(connection),
      inSnapshot: async (work) => {
        const large = await connection.read(() => (second ??= openSecond()));
        const { database } = large.connection;
        database.exec('BEGIN');
        try {
          return await work(large.read);
        } finally {
          // A disk error, or closing the store, also ends the transaction.
          if (database.inTransaction) database.exec('ROLLBACK');
        }
      },
    }),
    close: () => second?.connection.database.close(),
  };
}

function readerOn(connection: Connection): ReadRow {
  return <Row>(sql: string, ...values: string[]) => {
    const numbered = Object.fromEntries(values.map((value, index) => [index + 1, value]));
    return connection.read(() => connection.execute({ sql, parameters: [numbered] }).rows[0] as Row | undefined);
  };
}
