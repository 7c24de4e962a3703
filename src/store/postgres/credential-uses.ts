import type { Credential } from '../../domain/credential.ts';
import type { Store } from '../store.ts';
import type { Connection } from './connection.ts';
import { credentialColumns } from './credentials.ts';
import { prepared } from './statement.ts';

// Every server updates the rows in the same order, so that two servers cannot deadlock.
const note = prepared(`
  INSERT INTO credential_use (credential_id, last_used_at)
  SELECT credential_id, used.at FROM unnest($1::text[], $2::text[]) used (id, at) JOIN credential ON credential_id = used.id
  ORDER BY credential_id
  ON CONFLICT (credential_id) DO UPDATE SET last_used_at = greatest(credential_use.last_used_at, excluded.last_used_at)`);
const listExpiring = prepared(`
  SELECT ${credentialColumns} FROM credential
  WHERE expires_at > $1 AND expires_at <= $2 AND revoked_at IS NULL ORDER BY expires_at, credential_id LIMIT $3`);

export function credentialUseStore(
  connection: Connection,
): Pick<Store, 'noteCredentialUses' | 'listExpiringCredentials'> {
  return {
    noteCredentialUses: async (uses) => {
      const times = uses.map(({ last_used_at: at }) => at);
      await connection.query(note, [uses.map(({ credential_id: id }) => id), times]);
    },

    listExpiringCredentials: async ({ from, until, limit }) =>
      (await connection.query<Credential>(listExpiring, [from, until, limit])).rows,
  };
}
