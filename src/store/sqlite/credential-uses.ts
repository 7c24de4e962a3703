import type { Credential } from '../../domain/credential.ts';
import type { CredentialUse, Store } from '../store.ts';
import type { Connection } from './connection.ts';
import { credentialColumns } from './credentials.ts';

export function credentialUseStore(
  connection: Connection,
): Pick<Store, 'noteCredentialUses' | 'listExpiringCredentials'> {
  const note = connection.prepare<CredentialUse>(`
    INSERT INTO credential_use (credential_id, last_used_at)
    SELECT credential_id, @last_used_at FROM credential WHERE credential_id = @credential_id
    ON CONFLICT (credential_id) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`);
  const listExpiring = connection.prepare<{ from: string; until: string; limit: number }, Credential>(`
    SELECT ${credentialColumns} FROM credential
    WHERE expires_at > @from AND expires_at <= @until AND revoked_at IS NULL
    ORDER BY expires_at, credential_id LIMIT @limit`);

  return {
    noteCredentialUses: (uses) =>
      connection.write(() => {
        for (const use of uses) note.run(use);
      }),

    listExpiringCredentials: (period) => connection.read(() => listExpiring.all(period)),
  };
}
