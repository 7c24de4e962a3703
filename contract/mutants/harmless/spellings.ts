import type { Variant, ProxiedResponse } from '../mutant.ts';
import { headerValues, isUpdate } from '../requests.ts';
import { changing, json, linesOf, sending, writeRaw } from './variants.ts';

const time = /"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z"/g;

const times = (name: string, differs: string, spelling: string): Variant =>
  changing(name, differs, (response) => {
    response.body = response.body.replace(time, spelling);
  });

/** Rare spellings that the standards allow. */
export const spellingVariants: readonly Variant[] = [
  times('times-with-microseconds', 'times with six digits of a second', '"$1T$2000Z"'),
  times('times-with-offset-of-zero', 'times with the offset +00:00', '"$1T$2+00:00"'),
  times('times-in-lower-case', 't and z in lower case in times', '"$1t$2z"'),
  changing('zero-with-sign', 'zero with a minus sign', (response) => {
    response.body = response.body.replace(/"total_files":0\b/, '"total_files":-0');
  }),
  changing('members-shuffled', 'members in another order in each successful response', (response, request) => {
    if (response.status === 200) json(shuffled)(response, request);
  }),
  changing(
    'details-on-every-error',
    'error_details in errors for which the document shows none',
    json((value) => {
      const body = value as object;
      return 'error_code' in body && !('error_details' in body) ? { ...body, error_details: { help: '/docs' } } : body;
    }),
  ),
  changing('request-ids-of-another-form', 'request ids that are not UUIDs', (response, request) => {
    const given = headerValues(request, 'x-request-id').includes(String(response.headers['x-request-id']));
    // The audit log records the request id of an update.
    if (!given && !isUpdate(request)) response.headers['x-request-id'] = `req_${Math.random().toString(36).slice(2)}~1`;
  }),
  changing('allow-in-two-lines', 'Allow as two headers', (response) => {
    const [first = '', ...rest] = String(response.headers['allow'] ?? '').split(', ');
    if (rest.length > 0) response.headers['allow'] = [first, rest.join(', ')];
  }),
  changing('upgrade-offered', 'Upgrade names other protocols', (response) => {
    response.headers['upgrade'] = 'h2c, websocket';
  }),
  sending('reason-phrase-of-its-own', 'other reason phrases, some of them not ASCII', (outgoing, response) => {
    writeRaw(outgoing, '1.1', `${response.status} Voilà!`, closing(response), Buffer.from(response.body));
  }),
  sending('processing-first', 'a 102 before each response', (outgoing, response) => {
    outgoing.writeProcessing();
    for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
    outgoing.writeHead(response.status).end(response.body);
  }),
];

function closing(response: ProxiedResponse): string[] {
  return [...linesOf(response).map(([name, value]) => `${name}: ${value}`), 'Connection: close'];
}

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [Math.random(), name, shuffled(member)] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => a - b).map(([, name, member]) => [name, member]));
}
