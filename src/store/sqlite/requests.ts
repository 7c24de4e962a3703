/** What requests of the API pass through, in statements that are compiled once: measured, and faster than a query builder. */
import { auditEntryOf } from '../../domain/audit.ts';
import type { Prefetched } from '../../domain/principal.ts';
import { NotFoundError } from '../errors.ts';
import type { Authorisation, CredentialWithRights, HeldRights, OperationStore } from '../store.ts';
import { selectRevision } from './case-source.ts';
import type { Access, Connection } from './connection.ts';
import type { FoundCredential } from './kept-rows.ts';

type RightsRow = Omit<CredentialWithRights, 'permissions' | 'features' | 'prefetched'> & {
  permissions: string;
  features: string;
  enabled: 0 | 1;
  revision?: string | null;
};

type Requests = Omit<OperationStore, 'findCaseText'>;

/** The features of the organisation of a row `c`, as JSON. */
const featuresColumn =
  '(SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = c.organisation_id) AS features';
const rightsColumns = `
  (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = c.role) AS permissions, ${featuresColumn}`;
const selectFeatures = `SELECT ${featuresColumn} FROM organisation c WHERE organisation_id = ?`;

/** Compiles the statements; each access then binds how they read and write. */
export function requestStore(connection: Connection): (access: Access) => Requests {
  const { kept } = connection;
  // In SQLite, these subqueries are several times faster than a join or EXISTS.
  const rights = `
    credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256,
    ${rightsColumns},
    (SELECT verification_enabled FROM organisation o WHERE o.organisation_id = c.organisation_id) AS enabled`;
  const findBySecret = connection.prepare<[Uint8Array], RightsRow>(
    `SELECT ${rights} FROM credential c WHERE secret_sha256 = ?`,
  );
  const findWithCase = connection.prepare<[string, Uint8Array], RightsRow>(`
    SELECT ${rights},
      (SELECT revision FROM case_revision WHERE case_id = (
        SELECT case_id FROM case_record r WHERE r.case_id = ? AND r.organisation_id = c.organisation_id)) AS revision
    FROM credential c WHERE secret_sha256 = ?`);
  const findRevision = connection.prepare<[string, string], string>(selectRevision).pluck();
  const features = connection.prepare<[string], { features: string }>(selectFeatures);
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

  const keptRevision = (organisationId: string, caseId: string): string | null => {
    const known = kept.revision(organisationId, caseId);
    if (known !== undefined) return known;
    const revision = findRevision.get(caseId, organisationId);
    if (revision !== undefined) kept.keepRevision(organisationId, caseId, revision);
    return revision ?? null;
  };

  /** Reads all that a request needs with one statement. */
  const readCredential = (
    hash: string,
    secretSha256: Uint8Array,
    caseId?: string,
  ): CredentialWithRights | undefined => {
    const row = caseId === undefined ? findBySecret.get(secretSha256) : findWithCase.get(caseId, secretSha256);
    if (!row) return undefined;
    const credential = foundCredential(row);
    kept.keepCredential(hash, credential);
    if (caseId === undefined) return credential;
    const { revision = null } = row;
    if (revision !== null) kept.keepRevision(row.organisation_id, caseId, revision);
    return withCase(credential, { id: caseId, revision });
  };

  return (access) => ({
    findCredential: (secretSha256, caseId) =>
      access.read(() => {
        const hash = secretSha256.toString('latin1');
        const credential = kept.credential(hash, settingOf);
        if (!credential) return readCredential(hash, secretSha256, caseId);
        if (caseId === undefined) return credential;
        return withCase(credential, { id: caseId, revision: keptRevision(credential.organisation_id, caseId) });
      }),

    findFeatures: (organisationId) =>
      access.read(() => {
        const row = features.get(organisationId);
        return row && (JSON.parse(row.features) as string[]);
      }),

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
  });
}

/** Frozen, since all requests of the credential share it. */
function foundCredential({ enabled, ...row }: RightsRow): FoundCredential {
  const { credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256 } = row;
  const rights = { permissions: frozenList(row.permissions), features: frozenList(row.features) };
  const prefetched = Object.freeze({ organisationId: organisation_id, verificationEnabled: enabled === 1 });
  const found = { credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256, ...rights, prefetched };
  return Object.freeze(found);
}

function frozenList(json: string): string[] {
  return Object.freeze(JSON.parse(json)) as string[];
}

function withCase(credential: FoundCredential, found: Prefetched['case']): CredentialWithRights {
  return { ...credential, prefetched: { ...credential.prefetched, case: found } };
}

type HeldRow = Pick<RightsRow, 'kind' | 'expires_at' | 'revoked_at' | 'permissions' | 'features'>;

/** Creates an access that checks an authorisation at the start of each write. No other process can write in between. */
export function authorisedAccess(connection: Connection): (authorisation: Authorisation) => Access {
  const findCredential = connection.prepare<[string, string], HeldRow>(`
    SELECT kind, expires_at, revoked_at, ${rightsColumns} FROM credential c WHERE credential_id = ? AND organisation_id = ?`);
  const findOrganisation = connection.prepare<[string], Pick<HeldRow, 'features'>>(selectFeatures);

  const find = ({ credentialId, organisationId }: Authorisation['callers'][number]): HeldRights | undefined => {
    const kept = connection.kept.rights(credentialId);
    if (kept?.organisation_id === organisationId)
      return { credential: kept, permissions: kept.permissions, features: kept.features };
    const credential = findCredential.get(credentialId, organisationId);
    const row = credential ?? findOrganisation.get(organisationId);
    return (
      row && {
        credential,
        permissions: credential ? (JSON.parse(credential.permissions) as string[]) : [],
        features: JSON.parse(row.features) as string[],
      }
    );
  };

  return ({ callers, check }) => ({
    read: (work) => connection.read(work),
    write: (work, settingOf) =>
      connection.write(() => {
        check(callers.map(find));
        return work();
      }, settingOf),
  });
}
