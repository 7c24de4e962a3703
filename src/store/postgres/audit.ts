import type { AuditEntry } from '../../domain/audit.js';
import type { Store } from '../store.js';
import type { Connection } from './connection.js';
import { prepared } from './statement.js';

type AuditRow = Omit<AuditEntry, 'before' | 'after'> & { before: string; after: string };

const list = prepared(`
  SELECT id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared
  FROM audit_entry WHERE $1::text IS NULL OR organisation_id = $1 ORDER BY sequence DESC LIMIT $2`);

export function auditStore(connection: Connection): Pick<Store, 'listAuditEntries'> {
  return {
    listAuditEntries: async ({ organisationId, limit }) => {
      const { rows } = await connection.query<AuditRow>(list, [organisationId ?? null, limit]);
      return rows.map((row) => ({
        ...row,
        before: JSON.parse(row.before) as AuditEntry['before'],
        after: JSON.parse(row.after) as AuditEntry['after'],
      }));
    },
  };
}
