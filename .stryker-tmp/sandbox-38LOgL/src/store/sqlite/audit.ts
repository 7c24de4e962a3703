// @ts-nocheck
import type { AuditEntry } from '../../domain/audit.js';
import type { Store } from '../store.js';
import type { Connection } from './connection.js';

type AuditRow = Omit<AuditEntry, 'before' | 'after'> & { before: string; after: string };

export function auditStore(connection: Connection): Pick<Store, 'listAuditEntries'> {
  const list = connection.database.prepare<{ organisationId: string | null; limit: number }, AuditRow>(`
    SELECT id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared
    FROM audit_entry
    WHERE @organisationId IS NULL OR organisation_id = @organisationId
    ORDER BY sequence DESC LIMIT @limit`);

  return {
    listAuditEntries: ({ organisationId, limit }) =>
      connection.read(() =>
        list.all({ organisationId: organisationId ?? null, limit }).map((row) => ({
          ...row,
          before: JSON.parse(row.before) as AuditEntry['before'],
          after: JSON.parse(row.after) as AuditEntry['after'],
        })),
      ),
  };
}
