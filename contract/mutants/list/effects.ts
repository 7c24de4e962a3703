import { isOperation, isUpdate } from '../requests.ts';
import { afterResponse, afterUpdate, change, clear, write } from '../store-effects.ts';

const refused = (status: number) => (request: Parameters<typeof isUpdate>[0], response: { status: number }) =>
  isUpdate(request) && response.status === status;

/** Effects of requests that should have none, and audit entries with wrong values. */
export const effectMutants = [
  afterResponse('audit-of-unauthenticated', 'an update without a valid key has an audit entry', refused(401), write),
  afterResponse('audit-of-too-large', 'an update that is too large has an audit entry', refused(413), write),
  afterResponse('audit-of-unsupported', 'an update of another media type has an audit entry', refused(415), write),
  afterResponse('audit-of-limited', 'an update beyond the limit has an audit entry', refused(429), write),
  afterResponse(
    'audit-of-case',
    'reading a case has an audit entry',
    (request, response) => isOperation('getCase', request) && response.status === 200,
    write,
  ),
  afterResponse(
    'audit-of-head',
    'HEAD has an audit entry',
    (request, response) => request.method === 'HEAD' && response.status === 200,
    write,
  ),
  afterUpdate('audit-cleared-one-more', 'the entry reports one cleared result too many', (database, entry) => {
    change(database, entry, { cleared: entry.cleared + 1 });
  }),
  afterUpdate('audit-time-of-another-zone', 'the time of an entry is in another zone', (database, entry) => {
    change(database, entry, { occurred_at: entry.occurred_at.replace('Z', '+01:00') });
  }),
  afterUpdate('audit-time-an-hour-early', 'the time of an entry is an hour early', (database, entry) => {
    change(database, entry, { occurred_at: new Date(Date.parse(entry.occurred_at) - 3_600_000).toISOString() });
  }),
  afterUpdate('audit-values-as-text', 'the values of an entry are strings', (database, entry) => {
    const asText = (value: string) => value.replace(/(true|false)/, '"$1"');
    change(database, entry, { before: asText(entry.before), after: asText(entry.after) });
  }),
  afterUpdate('audit-request-id-empty', 'an entry has no request id', (database, entry) => {
    change(database, entry, { request_id: '' });
  }),
  afterResponse(
    'cache-cleared-by-head',
    'HEAD clears the cached results',
    (request, response) => request.method === 'HEAD' && response.status === 200,
    (database, { organisation_id: id }) => {
      clear(database, id);
    },
  ),
  afterResponse(
    'cache-cleared-by-case',
    'reading a case clears the cached results',
    (request, response) => isOperation('getCase', request) && response.status === 200,
    (database, { organisation_id: id }) => {
      clear(database, id);
    },
  ),
  afterResponse(
    'cache-cleared-without-permission',
    'an update without permission clears the cached results',
    refused(403),
    (database, { organisation_id: id }) => {
      clear(database, id);
    },
  ),
];
