import type { Credential } from '../../domain/credential.ts';
import type { Role } from '../../domain/organisation.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { all, first, run, type Statements } from '../statements.ts';
import { insertRows, type Part } from './dialect.ts';
import { requireOrganisation } from './organisations.ts';

const ownColumns = ['organisation_id', 'kind', 'role', 'created_at', 'expires_at', 'revoked_at'] as const;
const columns = ['credential.credential_id', ...ownColumns] as const;

export function credentialStore(part: Part) {
  const { db, reads, writes } = part;
  const credentials = db.selectFrom('credential').select(columns);

  function* existing(credentialId: string, lock = true): Statements<Credential> {
    const credential = credentials.where('credential_id', '=', credentialId);
    // The weakest lock that serialises replacements. It does not conflict with a new reference from an audit entry.
    const found = yield* first(lock ? credential.forNoKeyUpdate() : credential);
    if (!found) throw new NotFoundError('credential', credentialId);
    return found;
  }

  function* insert(credential: Credential, secretSha256: Uint8Array): Statements<void> {
    yield* run(db.insertInto('credential').values({ ...credential, secret_sha256: secretSha256 }));
  }

  function* revoke(credentialId: string, at: string): Statements<void> {
    const unrevoked = db.updateTable('credential').where('revoked_at', 'is', null);
    yield* run(unrevoked.where('credential_id', '=', credentialId).set({ revoked_at: at }));
  }

  return {
    ...reads({
      readCredential: (credentialId) => existing(credentialId, false),

      listCredentials: (organisationId) =>
        all(
          db
            .selectFrom('credential')
            .leftJoin('credential_use', 'credential_use.credential_id', 'credential.credential_id')
            .select([...columns, 'last_used_at'])
            .$if(organisationId !== undefined, (query) => query.where('organisation_id', '=', String(organisationId)))
            .orderBy('created_at')
            .orderBy('credential.credential_id'),
        ),

      listExpiringCredentials: ({ from, until, limit }) =>
        all(
          credentials
            .where('expires_at', '>', from)
            .where('expires_at', '<=', until)
            .where('revoked_at', 'is', null)
            .orderBy('expires_at')
            .orderBy('credential_id')
            .limit(limit),
        ),
    }),

    ...writes({
      *addCredential(credential, secretSha256) {
        yield* requireOrganisation(db, credential.organisation_id);
        if (credential.role !== null) yield* requireRole(db, credential.role);
        yield* insert(credential, secretSha256);
      },

      *replaceCredential(credentialId, { credentialId: successorId, secretSha256, at }) {
        const old = yield* existing(credentialId);
        if (old.revoked_at !== null) throw new ConflictError(`The credential ${credentialId} is already revoked.`);
        yield* revoke(credentialId, at);
        const successor = { ...old, credential_id: successorId, created_at: at };
        yield* insert(successor, secretSha256);
        return successor;
      },

      *revokeCredential(credentialId, at) {
        yield* existing(credentialId);
        yield* revoke(credentialId, at);
      },

      *noteCredentialUses(uses) {
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
      *setPermission(role, permission, granted) {
        yield* requireRole(db, role);
        const added = db.insertInto('role_permission').values({ role, permission });
        const removal = db.deleteFrom('role_permission').where('role', '=', role).where('permission', '=', permission);
        yield* run(granted ? added.onConflict((held) => held.doNothing()) : removal);
      },
    }),
  };
}

/** @throws {NotFoundError} if there is no such role */
function* requireRole(db: Part['db'], role: string): Statements<void> {
  if (!(yield* first(db.selectFrom('role').select('role').where('role', '=', role))))
    throw new NotFoundError('role', role);
}
