import { randomUUID } from 'node:crypto';
import { afterResponse, afterUpdate, another, change, type Entry, remove, write } from '../store-effects.ts';
import { isOperation, isUpdate } from '../requests.ts';

const beforeIt = 'SELECT * FROM audit_entry WHERE sequence < ? ORDER BY sequence DESC LIMIT 1';

/** Audit entries that are missing, wrong or too many. */
export const auditMutants = [
  afterUpdate('audit-missing', 'no audit entry is written', remove),
  afterUpdate('audit-missing-unchanged', 'an update to the saved value has no audit entry', (database, entry) => {
    if (entry.before === entry.after) remove(database, entry);
  }),
  afterUpdate('audit-missing-when-off', 'switching off has no audit entry', (database, entry) => {
    if (entry.after.includes('false')) remove(database, entry);
  }),
  afterUpdate('audit-doubled', 'an update has two audit entries', (database, entry) => {
    write(database, entry);
  }),
  afterUpdate('audit-before-wrong', 'the entry has the new value in before', (database, entry) => {
    change(database, entry, { before: entry.after });
  }),
  afterUpdate('audit-after-wrong', 'the entry has the old value in after', (database, entry) => {
    change(database, entry, { after: entry.before });
  }),
  afterUpdate('audit-before-and-after-swapped', 'the entry has before and after swapped', (database, entry) => {
    change(database, entry, { before: entry.after, after: entry.before });
  }),
  afterUpdate('audit-cleared-wrong', 'the entry reports that nothing was cleared', (database, entry) => {
    change(database, entry, { cleared: 0 });
  }),
  afterUpdate('audit-request-id-wrong', "the entry has another request's id", (database, entry) => {
    change(database, entry, { request_id: randomUUID() });
  }),
  afterUpdate('audit-time-wrong', 'the entry has the time 1970-01-01T00:00:00Z', (database, entry) => {
    change(database, entry, { occurred_at: new Date(0).toISOString() });
  }),
  afterUpdate('audit-action-wrong', 'the entry names another action', (database, entry) => {
    change(database, entry, { action: 'organisation.updated' });
  }),
  afterUpdate('audit-credential-wrong', 'the entry names another credential', (database, entry) => {
    change(database, entry, { credential_id: another(database, 'credential', 'credential_id', entry.credential_id) });
  }),
  afterUpdate('audit-organisation-wrong', 'the entry names another organisation', (database, entry) => {
    change(database, entry, {
      organisation_id: another(database, 'organisation', 'organisation_id', entry.organisation_id),
    });
  }),
  afterUpdate('audit-earlier-changed', 'an update changes the entry before it', (database, entry) => {
    database.prepare('UPDATE audit_entry SET after = before WHERE sequence = ?').run(entry.sequence - 1);
  }),
  afterUpdate('audit-only-last-kept', 'an update removes the entries before it', (database, entry) => {
    database.prepare('DELETE FROM audit_entry WHERE sequence < ?').run(entry.sequence);
  }),
  afterUpdate('audit-missing-at-once', 'concurrent updates share an audit entry', (database, entry) => {
    const [last] = database.prepare<[number], Entry>(beforeIt).all(entry.sequence);
    if (last && Date.parse(entry.occurred_at) - Date.parse(last.occurred_at) < 3) remove(database, entry);
  }),
  afterResponse(
    'audit-of-forbidden',
    'an update without permission has an audit entry',
    (request, response) => isUpdate(request) && response.status === 403,
    write,
  ),
  afterResponse(
    'audit-of-invalid',
    'an invalid update has an audit entry',
    (request, response) => isUpdate(request) && response.status === 400,
    write,
  ),
  afterResponse(
    'audit-of-reading',
    'reading has an audit entry',
    (request, response) => isOperation('getVerificationSetting', request) && response.status === 200,
    write,
  ),
];
