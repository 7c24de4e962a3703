import type { AuditEntry } from '../../domain/audit.ts';
import { type AuditRow, storedAuditEntryOf } from '../audit-entry.ts';
import type { Store } from '../store.ts';
import type { Connection } from './connection.ts';

export function auditStore(connection: Connection): Pick<Store, 'listAuditEntries'> {
  const list = connection.prepare<{ organisationId: string | null; limit: number }, AuditRow>(`
    SELECT id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared
    FROM audit_entry
    WHERE @organisationId IS NULL OR organisation_id = @organisationId
    ORDER BY sequence DESC LIMIT @limit`);

  return {
    listAuditEntries: ({ organisationId, limit }) =>
      connection.read(() => list.all({ organisationId: organisationId ?? null, limit }).map(storedAuditEntryOf)),
  };
}

/** Writes an entry in the same transaction as the change that it describes. */
export function auditWriter(connection: Connection): (entry: AuditEntry) => void {
  const insert = connection.prepare(`
    INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
    VALUES (@id, @occurred_at, @organisation_id, @credential_id, @action, @before, @after, @request_id, @cleared)`);
  return (entry) => {
    insert.run({ ...entry, before: JSON.stringify(entry.before), after: JSON.stringify(entry.after) });
  };
}
