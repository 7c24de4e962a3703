import type { Credential, ListedCredential } from '../../domain/credential.ts';
import type { Role } from '../../domain/organisation.ts';
import { type Database, insertRows, type Part } from './dialect.ts';
import { ConflictError } from '../errors.ts';
import { all, required, run, type Statements } from '../statements.ts';
import { requireOrganisation } from './organisations.ts';

export type CredentialUse = Database['credential_use'];

const ownColumns = ['organisation_id', 'kind', 'role', 'created_at', 'expires_at', 'revoked_at'] as const;
const columns = ['credential.credential_id', ...ownColumns] as const;

export function credentialStore(part: Part) {
  const { db, reads, writes } = part;
  const credentials = db.selectFrom('credential').select(columns);

  const existing = (credentialId: string, lock = true): Statements<Credential> => {
    const credential = credentials.where('credential_id', '=', credentialId);
    // The weakest lock that serialises replacements. It does not conflict with a new reference from an audit entry.
    return required(lock ? credential.forNoKeyUpdate() : credential, 'credential', credentialId);
  };

  const insert = (credential: Credential, secretSha256: Uint8Array) =>
    run(db.insertInto('credential').values({ ...credential, secret_sha256: secretSha256 }));

  const revoke = (credentialId: string, at: string) => {
    const unrevoked = db.updateTable('credential').where('revoked_at', 'is', null);
    return run(unrevoked.where('credential_id', '=', credentialId).set({ revoked_at: at }));
  };

  return {
    ...reads({
      /** @throws {NotFoundError} */
      readCredential: (credentialId: string) => existing(credentialId, false),

      /** Of one organisation, or of all, in the order of their creation. */
      listCredentials: (organisationId?: string): Statements<ListedCredential[]> =>
        all(
          db
            .selectFrom('credential')
            .leftJoin('credential_use', 'credential_use.credential_id', 'credential.credential_id')
            .select([...columns, 'last_used_at'])
            .$if(organisationId !== undefined, (query) => query.where('organisation_id', '=', String(organisationId)))
            .orderBy('created_at')
            .orderBy('credential.credential_id'),
        ),

      /** Credentials that are not revoked and expire after `from` and not after `until`, the earliest first. */
      listExpiringCredentials: ({ from, until, limit }: { from: string; until: string; limit: number }) => {
        const unrevoked = credentials.where('revoked_at', 'is', null).orderBy('expires_at').orderBy('credential_id');
        return all(unrevoked.where('expires_at', '>', from).where('expires_at', '<=', until).limit(limit));
      },
    }),

    ...writes({
      /** @throws {NotFoundError} if the organisation or the role does not exist */
      *addCredential(credential: Credential, secretSha256: Uint8Array) {
        yield* requireOrganisation(db, credential.organisation_id);
        if (credential.role !== null) yield* requireRole(db, credential.role);
        yield* insert(credential, secretSha256);
      },

      /**
       * Revokes a credential and adds its successor with the same organisation, kind, role and expiry.
       * @throws {NotFoundError} if there is no such credential; {ConflictError} if it is already revoked
       */
      *replaceCredential(
        credentialId: string,
        { credentialId: successorId, ...by }: { credentialId: string; secretSha256: Uint8Array; at: string },
      ) {
        const old = yield* existing(credentialId);
        if (old.revoked_at !== null) throw new ConflictError(`The credential ${credentialId} is already revoked.`);
        yield* revoke(credentialId, by.at);
        const successor = { ...old, credential_id: successorId, created_at: by.at };
        yield* insert(successor, by.secretSha256);
        return successor;
      },

      /** Revoking a revoked credential changes nothing. @throws {NotFoundError} */
      *revokeCredential(credentialId: string, at: string) {
        yield* existing(credentialId);
        yield* revoke(credentialId, at);
      },

      /** Saves when credentials were last used. Unknown credentials, and those with a later use, stay unchanged. */
      *noteCredentialUses(uses: readonly CredentialUse[]) {
        yield* insertRows(part, 'credential_use', uses, 'credential_id', {
          where: 'credential_id IN (SELECT credential_id FROM credential)',
          onConflict: `(credential_id) DO UPDATE SET last_used_at = excluded.last_used_at
            WHERE excluded.last_used_at > credential_use.last_used_at`,
        });
      },
    }),
  };
}

export function roleStore({ db, reads, writes }: Part) {
  return {
    ...reads({
      *listRoles() {
        const roles = yield* all(db.selectFrom('role').select('role').orderBy('role'));
        const granted = yield* all(db.selectFrom('role_permission').selectAll().orderBy('permission'));
        const permissionsOf = (role: string) =>
          granted.filter((held) => held.role === role).map(({ permission }) => permission);
        return roles.map(({ role }): Role => ({ role, permissions: permissionsOf(role) }));
      },
    }),

    ...writes({
      /** @throws {NotFoundError} if there is no such role */
      *setPermission(role: string, permission: string, granted: boolean) {
        yield* requireRole(db, role);
        const added = db.insertInto('role_permission').values({ role, permission });
        const removal = db.deleteFrom('role_permission').where('role', '=', role).where('permission', '=', permission);
        yield* run(granted ? added.onConflict((held) => held.doNothing()) : removal);
      },
    }),
  };
}

const requireRole = (db: Part['db'], role: string) =>
  required(db.selectFrom('role').select('role').where('role', '=', role), 'role', role);
