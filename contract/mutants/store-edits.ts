/** Edits of the store behind a response that stays as it is. */
import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../run/model.ts';
import type { Behaviour, Database, ProxiedRequest, ServerBehind } from './mutant.ts';

/** An entry of the audit log as stored. */
export type Entry = Omit<AuditEntry, 'before' | 'after'> & { sequence: number; before: string; after: string };

/** The setting to store, unless it is no boolean. */
export type Save = (request: ProxiedRequest, before: boolean) => unknown;

/** Changes the store. @param entry the newest one of an update */
export type Store = (database: Database, entry: Entry) => void;

/** Stores another setting before the response is sent. */
export function saving(save: Save): Behaviour {
  return {
    start: ({ forward, database, organisationId: id }, matches) => {
      const select = database.prepare<[string], { saved: number }>(
        'SELECT verification_enabled AS saved FROM organisation WHERE organisation_id = ?',
      );
      const update = database.prepare('UPDATE organisation SET verification_enabled = ? WHERE organisation_id = ?');
      return async (request) => {
        const before = select.get(id)?.saved === 1;
        const response = await forward(request);
        const value = matches(request, response) ? save(request, before) : undefined;
        if (typeof value === 'boolean') update.run(Number(value), id);
        return response;
      };
    },
  };
}

const updated: Entry['action'] = 'organisation.verification-setting.updated';

/** Changes cached results or the audit log before the response is sent. */
export function storing(store: Store) {
  return ({ database }: Pick<ServerBehind, 'database'>) => {
    database.exec('DROP TRIGGER audit_entry_is_not_changed; DROP TRIGGER audit_entry_is_not_deleted');
    const newest = database.prepare<[], Entry>(
      `SELECT * FROM audit_entry WHERE action = '${updated}' ORDER BY sequence DESC LIMIT 1`,
    );
    return (): undefined => {
      const entry = newest.get() ?? madeUp(database);
      if (entry) store(database, entry);
    };
  };
}

/** A made-up entry of an update, for a store that has none. */
function madeUp(database: Database): Entry | undefined {
  return database
    .prepare<[string], Entry>(
      `SELECT 'made up' AS id, created_at AS occurred_at, organisation_id, credential_id, ? AS action,
        '{"enabled":false}' AS before, '{"enabled":true}' AS after, 'made-up' AS request_id, 0 AS cleared
      FROM credential LIMIT 1`,
    )
    .get(updated);
}

export function change(database: Database, { id }: Entry, fields: Partial<Entry>): void {
  const assignments = Object.keys(fields).map((name) => `${name} = @${name}`);
  database.prepare(`UPDATE audit_entry SET ${assignments.join(', ')} WHERE id = @id`).run({ ...fields, id });
}

export function write(database: Database, entry: Entry): void {
  const names = Object.keys(entry).filter((name) => name !== 'sequence');
  const values = names.map((name) => `@${name}`);
  database
    .prepare(`INSERT INTO audit_entry (${names.join(', ')}) VALUES (${values.join(', ')})`)
    .run({ ...entry, id: randomUUID() });
}
