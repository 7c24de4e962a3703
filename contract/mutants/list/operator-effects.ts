import type { Mutant } from '../mutant.ts';
import { isCase, isReading, isUpdate } from '../requests.ts';
import { afterResponse, afterUpdate, change, clear, remove, restore, write } from '../store-effects.ts';
import { randomUUID } from 'node:crypto';

/** Cached analysis results that are cleared wrongly, or not at all. */
const cacheMutants = [
  afterUpdate('cache-not-cleared', 'a change clears no cached results', 'TODO', (database, entry) => {
    restore(database, entry, entry.cleared);
  }),
  afterUpdate('cache-not-cleared-when-off', 'switching off clears no cached results', 'TODO', (database, entry) => {
    if (entry.after.includes('false')) restore(database, entry, entry.cleared);
  }),
  afterUpdate(
    'cache-cleared-unchanged',
    'an update to the saved value clears cached results',
    'TODO',
    (database, entry) => {
      if (entry.before === entry.after) clear(database, entry.organisation_id);
    },
  ),
  afterUpdate(
    'cache-cleared-for-all',
    'a change clears the results of all organisations',
    '4.2-R4.another-organisation',
    (database, entry) => {
      if (entry.before !== entry.after) database.exec('DELETE FROM cached_analysis_result');
    },
  ),
  afterResponse(
    'cache-cleared-when-refused',
    'a refused update clears cached results',
    'D26.4*',
    (request, response) => isUpdate(request) && response.status >= 400,
    (database) => {
      database.exec('DELETE FROM cached_analysis_result');
    },
  ),
  afterResponse(
    'cache-cleared-when-read',
    'reading clears cached results',
    'TODO',
    (request, response) => isReading(request) && response.status === 200,
    (database) => {
      database.exec('DELETE FROM cached_analysis_result');
    },
  ),
];

/** Audit entries that are missing, wrong or too many. */
const auditMutants = [
  afterUpdate('audit-missing', 'no audit entry is written', '4.2-R5.*', remove),
  afterUpdate(
    'audit-missing-unchanged',
    'an update to the saved value has no audit entry',
    'TODO',
    (database, entry) => {
      if (entry.before === entry.after) remove(database, entry);
    },
  ),
  afterUpdate('audit-missing-when-off', 'switching off has no audit entry', 'TODO', (database, entry) => {
    if (entry.after.includes('false')) remove(database, entry);
  }),
  afterUpdate('audit-before-wrong', 'the entry has the new value in before', 'D26.*-to-*', (database, entry) => {
    change(database, entry, { before: entry.after });
  }),
  afterUpdate('audit-request-id-wrong', "the entry has another request's id", 'TODO', (database, entry) => {
    change(database, entry, { request_id: randomUUID() });
  }),
  afterUpdate('audit-earlier-changed', 'an update changes the entry before it', 'D26.chain', (database, entry) => {
    database.prepare('UPDATE audit_entry SET after = before WHERE sequence = ?').run(entry.sequence - 1);
  }),
  afterUpdate(
    'audit-only-last-kept',
    'an update removes the entries before it',
    '4.1-R1.first-value D26.chain',
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
    'TODO',
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
    'D26.429-owner-key',
    refused(429),
    write,
  ),
  afterResponse(
    'audit-of-case',
    'reading a case has an audit entry',
    'D26.reading-a-case',
    (request, response) => isCase(request) && response.status === 200,
    write,
  ),
  afterResponse(
    'audit-of-head',
    'HEAD has an audit entry',
    'D26.head-of-the-setting',
    (request, response) => request.method === 'HEAD' && response.status === 200,
    write,
  ),
  afterUpdate(
    'audit-cleared-one-more',
    'the entry reports one cleared result too many',
    'D26.*-to-*',
    (database, entry) => {
      change(database, entry, { cleared: entry.cleared + 1 });
    },
  ),
  afterUpdate('audit-time-of-another-zone', 'the time of an entry is in another zone', 'TODO', (database, entry) => {
    change(database, entry, { occurred_at: entry.occurred_at.replace('Z', '+01:00') });
  }),
];

export const operatorEffectMutants: readonly Mutant[] = [...cacheMutants, ...auditMutants, ...effectMutants];
