import type { AuditEntry } from '../../domain/audit.ts';
import { all, run, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import type { Part } from './dialect.ts';

export function auditStore({ db, read }: Part): Pick<Store, 'listAuditEntries'> {
  return {
    listAuditEntries: ({ organisationId, limit }) =>
      read(function* () {
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
      }),
  };
}

/** Writes an entry in the same transaction as the change that it describes. */
export function* writeAuditEntry(db: Part['db'], entry: AuditEntry): Statements<void> {
  const [before, after] = [JSON.stringify(entry.before), JSON.stringify(entry.after)];
  yield* run(db.insertInto('audit_entry').values({ ...entry, before, after }));
}
