import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit.ts';
import { all, run } from '../statements.ts';
import type { Part, Selection } from './dialect.ts';

export function auditStore({ db, reads }: Part) {
  return reads({
    /** The newest first. */
    *listAuditEntries({ organisationId, limit }: Selection) {
      const rows = yield* all(
        db
          .selectFrom('audit_entry')
          .select(['id', 'occurred_at', 'organisation_id', 'credential_id', 'action'])
          .select(['before', 'after', 'request_id', 'cleared'])
          .$if(organisationId !== undefined, (query) => query.where('organisation_id', '=', String(organisationId)))
          .orderBy('sequence', 'desc')
          .limit(limit),
      );
      return rows.map((row) => {
        const [before, after] = [JSON.parse(row.before) as unknown, JSON.parse(row.after) as unknown];
        return { ...row, before, after } as AuditEntry;
      });
    },
  });
}

/** An act of the service itself, which has no credential and no request. */
type OwnAct<Entry> = Entry extends { credential_id: null } ? Omit<Entry, 'id' | 'credential_id' | 'request_id'> : never;

/** Writes the entry of an act of the service itself, in the same transaction as the change that it describes. */
export function* writeAuditEntry<Act extends OwnAct<AuditEntry>>(db: Part['db'], act: Act) {
  const entry = { id: randomUUID(), credential_id: null, request_id: null, ...act };
  const [before, after] = [JSON.stringify(entry.before), JSON.stringify(entry.after)];
  yield* run(db.insertInto('audit_entry').values({ ...entry, before, after }));
  return entry;
}
