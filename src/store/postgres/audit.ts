import type { AuditEntry } from '../../domain/audit.ts';
import { type AuditRow, storedAuditEntryOf } from '../audit-entry.ts';
import type { Store } from '../store.ts';
import type { Connection, Query } from './connection.ts';
import { prepared } from './statement.ts';

const list = prepared(`
  SELECT id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared
  FROM audit_entry WHERE $1::text IS NULL OR organisation_id = $1 ORDER BY sequence DESC LIMIT $2`);
const insert = prepared(`
  INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

export function auditStore(connection: Connection): Pick<Store, 'listAuditEntries'> {
  return {
    listAuditEntries: async ({ organisationId, limit }) => {
      const { rows } = await connection.query<AuditRow>(list, [organisationId ?? null, limit]);
      return rows.map(storedAuditEntryOf);
    },
  };
}

/** Writes an entry in the same transaction as the change that it describes. */
export async function writeAuditEntry(query: Query, entry: AuditEntry): Promise<void> {
  const { id, occurred_at: at, organisation_id: organisationId, credential_id: credentialId, action } = entry;
  const [before, after] = [JSON.stringify(entry.before), JSON.stringify(entry.after)];
  await query(insert, [id, at, organisationId, credentialId, action, before, after, entry.request_id, entry.cleared]);
}
