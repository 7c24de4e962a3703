import type { Mutant, ProxiedRequest, ProxiedResponse, ServerBehind } from '../mutant.ts';
import { isCase, isReading, isUpdate } from '../requests.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../run/model.ts';

/** Cached analysis results that are cleared wrongly, or not at all. */
const cacheMutants = [
  afterUpdate(
    'cache-not-cleared',
    'a change clears no cached results',
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      restore(database, entry, entry.cleared);
    },
  ),
  afterUpdate(
    'cache-not-cleared-when-off',
    'switching off clears no cached results',
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      if (entry.after.includes('false')) restore(database, entry, entry.cleared);
    },
  ),
  afterUpdate(
    'cache-cleared-unchanged',
    'an update to the saved value clears cached results',
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      if (entry.before === entry.after) clear(database, entry.organisation_id);
    },
  ),
  afterUpdate(
    'cache-cleared-for-all',
    'a change clears the results of all organisations',
    'explored.*.effects*',
    (database, entry) => {
      if (entry.before !== entry.after) database.exec('DELETE FROM cached_analysis_result');
    },
  ),
  afterResponse(
    'cache-cleared-when-refused',
    'a refused update clears cached results',
    'explored.*',
    (request, response) => isUpdate(request) && response.status >= 400,
    (database) => {
      database.exec('DELETE FROM cached_analysis_result');
    },
  ),
  afterResponse(
    'cache-cleared-when-read',
    'reading clears cached results',
    'explored.*',
    (request, response) => isReading(request) && response.status === 200,
    (database) => {
      database.exec('DELETE FROM cached_analysis_result');
    },
  ),
];

/** Audit entries that are missing, wrong or too many. */
const auditMutants = [
  afterUpdate('audit-missing', 'no audit entry is written', '4.2-R5.* explored.*.effects*', remove),
  afterUpdate(
    'audit-missing-unchanged',
    'an update to the saved value has no audit entry',
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      if (entry.before === entry.after) remove(database, entry);
    },
  ),
  afterUpdate(
    'audit-missing-when-off',
    'switching off has no audit entry',
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      if (entry.after.includes('false')) remove(database, entry);
    },
  ),
  afterUpdate(
    'audit-before-wrong',
    'the entry has the new value in before',
    'explored.*.effects*',
    (database, entry) => {
      change(database, entry, { before: entry.after });
    },
  ),
  afterUpdate(
    'audit-request-id-wrong',
    "the entry has another request's id",
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      change(database, entry, { request_id: randomUUID() });
    },
  ),
  afterUpdate(
    'audit-earlier-changed',
    'an update changes the entry before it',
    'D26.at-once explored.*.effects*',
    (database, entry) => {
      database.prepare('UPDATE audit_entry SET after = before WHERE sequence = ?').run(entry.sequence - 1);
    },
  ),
  afterUpdate(
    'audit-only-last-kept',
    'an update removes the entries before it',
    '4.1-R1.first-value D26.at-once explored.*.effects*',
    (database, entry) => {
      database.prepare('DELETE FROM audit_entry WHERE sequence < ?').run(entry.sequence);
    },
  ),
  afterResponse(
    'audit-of-forbidden',
    'an update without permission has an audit entry',
    'explored.*',
    (request, response) => isUpdate(request) && response.status === 403,
    write,
  ),
  afterResponse(
    'audit-of-invalid',
    'an invalid update has an audit entry',
    'explored.updateVerificationSetting.body*',
    (request, response) => isUpdate(request) && response.status === 400,
    write,
  ),
  afterResponse(
    'audit-of-reading',
    'reading has an audit entry',
    'explored.*',
    (request, response) => isReading(request) && response.status === 200,
    write,
  ),
];

const refused = (status: number) => (request: Parameters<typeof isUpdate>[0], response: { status: number }) =>
  isUpdate(request) && response.status === status;

/** Effects of requests that should have none, and audit entries with wrong values. */
const effectMutants = [
  afterResponse(
    'audit-of-unauthenticated',
    'an update without a valid key has an audit entry',
    'explored.*',
    refused(401),
    write,
  ),
  afterResponse(
    'audit-of-too-large',
    'an update that is too large has an audit entry',
    'explored.updateVerificationSetting.body-size*',
    refused(413),
    write,
  ),
  afterResponse(
    'audit-of-unsupported',
    'an update of another media type has an audit entry',
    'explored.updateVerificationSetting.media-type*',
    refused(415),
    write,
  ),
  afterResponse(
    'audit-of-limited',
    'an update beyond the limit has an audit entry',
    'explored.updateVerificationSetting.limit*',
    refused(429),
    write,
  ),
  afterResponse(
    'audit-of-case',
    'reading a case has an audit entry',
    'explored.get*',
    (request, response) => isCase(request) && response.status === 200,
    write,
  ),
  afterResponse(
    'audit-of-head',
    'HEAD has an audit entry',
    'explored.get*',
    (request, response) => request.method === 'HEAD' && response.status === 200,
    write,
  ),
  afterUpdate(
    'audit-cleared-one-more',
    'the entry reports one cleared result too many',
    'explored.*.effects*',
    (database, entry) => {
      change(database, entry, { cleared: entry.cleared + 1 });
    },
  ),
  afterUpdate(
    'audit-time-of-another-zone',
    'the time of an entry is in another zone',
    '4.2-R5.* explored.*.effects*',
    (database, entry) => {
      change(database, entry, { occurred_at: entry.occurred_at.replace('Z', '+01:00') });
    },
  ),
];

export const operatorEffectMutants: readonly Mutant[] = [...cacheMutants, ...auditMutants, ...effectMutants];

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
