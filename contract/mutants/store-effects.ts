import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditEntry } from '../run/model.ts';
import type { Mutant, ProxiedResponse, ProxiedRequest, ServerBehind } from './mutant.ts';
import { isUpdate } from './requests.ts';

/** An entry of the audit log as stored. */
export type Entry = Omit<AuditEntry, 'before' | 'after'> & { sequence: number; before: string; after: string };

const settingUpdated: Entry['action'] = 'organisation.verification-setting.updated';

/** Tampers with the store; the entry is the newest one. */
export type Effect = (database: ServerBehind['database'], entry: Entry) => void;

/** A mutant that tampers with the store after an update, before the response is sent. */
export function afterUpdate(name: string, breaks: string, promise: string, effect: Effect): Mutant {
  return afterResponse(
    name,
    breaks,
    promise,
    (request, response) => isUpdate(request) && response.status === 200,
    effect,
  );
}

/** A mutant that tampers with the store after a response that fulfils the condition. */
export function afterResponse(
  name: string,
  breaks: string,
  promise: string,
  condition: (request: ProxiedRequest, response: ProxiedResponse) => boolean,
  effect: Effect,
): Mutant {
  const start: Mutant['start'] = ({ forward, database }) => {
    database.exec('DROP TRIGGER audit_entry_is_not_changed; DROP TRIGGER audit_entry_is_not_deleted');
    const newest = database.prepare<[], Entry>(
      `SELECT * FROM audit_entry WHERE action = '${settingUpdated}' ORDER BY sequence DESC LIMIT 1`,
    );
    return async (request) => {
      const response = await forward(request);
      const entry = condition(request, response) ? (newest.get() ?? madeUp(database)) : undefined;
      if (entry) effect(database, entry);
      return response;
    };
  };
  return { name, breaks, promise, start };
}

/** A made-up entry of an update, for a store that has none. */
function madeUp(database: ServerBehind['database']): Entry | undefined {
  return database
    .prepare<[string], Entry>(
      `SELECT 'made up' AS id, created_at AS occurred_at, organisation_id, credential_id, ? AS action,
        '{"enabled":false}' AS before, '{"enabled":true}' AS after, 'made-up' AS request_id, 0 AS cleared
      FROM credential LIMIT 1`,
    )
    .get(settingUpdated);
}

export function clear(database: ServerBehind['database'], organisationId: string): void {
  database.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?').run(organisationId);
}

export function restore(
  database: ServerBehind['database'],
  { organisation_id: id, occurred_at: time }: Entry,
  results: number,
): void {
  const insert = database.prepare("INSERT INTO cached_analysis_result VALUES (?, ?, '{}', ?)");
  for (let restored = 0; restored < results; restored += 1) insert.run(id, randomBytes(32), time);
}

export function remove(database: ServerBehind['database'], { id }: Entry): void {
  database.prepare('DELETE FROM audit_entry WHERE id = ?').run(id);
}

export function change(database: ServerBehind['database'], { id }: Entry, fields: Partial<Entry>): void {
  const assignments = Object.keys(fields).map((name) => `${name} = @${name}`);
  database.prepare(`UPDATE audit_entry SET ${assignments.join(', ')} WHERE id = @id`).run({ ...fields, id });
}

export function write(database: ServerBehind['database'], entry: Entry): void {
  const names = Object.keys(entry).filter((name) => name !== 'sequence');
  const values = names.map((name) => `@${name}`);
  database
    .prepare(`INSERT INTO audit_entry (${names.join(', ')}) VALUES (${values.join(', ')})`)
    .run({ ...entry, id: randomUUID() });
}

export function another(database: ServerBehind['database'], table: string, column: string, value: string): string {
  return (
    database.prepare<[string], string>(`SELECT ${column} FROM ${table} WHERE ${column} <> ?`).pluck().get(value) ??
    value
  );
}
