/** Headers that are missing, wrong or sent twice, and messages that are right only for plain requests. */
import { randomUUID } from 'node:crypto';
import type { Mutant, Predicate, ProxiedRequest } from '../mutant.ts';
import { header, headerValues, path } from '../requests.ts';
import { breaking, type Edits, row, sets } from '../rows.ts';

const without = (name: string) => sets(name, undefined);
const invalidToken = sets('www-authenticate', 'Bearer realm="document-analysis-uk", error="invalid_token"');
const isPreflight = header('access-control-request-method');
const newId: Edits = { headers: { 'x-request-id': () => randomUUID() } };

export const responseHeaderMutants: readonly Mutant[] = [
  ...breaking('conformance.*.media-type', [
    row('successes are text/plain', '* 200', sets('content-type', 'text/plain')),
    row('errors are text/html', '* 4..', sets('content-type', 'text/html; charset=utf-8')),
    row('the charset UTF-16 is declared', '* 200', sets('content-type', 'application/json; charset=utf-16')),
    row('Content-Type is sent twice', '* 200', sets('content-type', ['application/json', 'text/html'])),
  ]),
  ...breaking('conformance.*.header.X-Request-Id', [
    row('X-Request-Id is missing', '*', without('x-request-id')),
    row('X-Request-Id is empty', '* 200', sets('x-request-id', '')),
    row('X-Request-Id is sent twice', '*', { headers: { 'x-request-id': (value) => [value, 'b'] } }),
  ]),
  ...breaking('conformance.rules.request-id', [
    row('every response has the same X-Request-Id', '*', sets('x-request-id', 'a')),
    row('the X-Request-Id of the request is replaced', '*', newId),
  ]),
  ...breaking('conformance.*.header.RateLimit*', [
    row('RateLimit is missing', '*', without('ratelimit')),
    row('RateLimit has the form of an old draft', '*', sets('ratelimit', 'limit=250, remaining=9')),
    row('RateLimit states a negative remainder', '* 2..', {
      headers: { ratelimit: (value) => value.replace(/r=\d+/, 'r=-1') },
    }),
  ]),
  ...breaking('conformance.*.401.header.WWW-Authenticate', [
    row('WWW-Authenticate is missing on 401', '* 401', without('www-authenticate')),
    row('the realm is not quoted', '* 401', sets('www-authenticate', 'ApiKey realm=uk')),
  ]),
  ...breaking('conformance.rules.challenge', [
    row('the realm names another region', '* 401', {
      headers: { 'www-authenticate': (value) => value.replace('-uk"', '-ca"') },
    }),
    row('a token that was not sent is invalid', 'case 401', invalidToken),
  ]),
  ...breaking('conformance.*.header.Cache-Control', [
    row('Cache-Control is missing', '*', without('cache-control')),
    row('a success may be cached privately', '* 200', sets('cache-control', 'private')),
    row('the response to HEAD may be cached', '* HEAD', { headers: { etag: '"1"', 'cache-control': undefined } }),
  ]),
  ...breaking('conformance.service.405.header.Allow conformance.rules.allow', [
    row('Allow is missing on 405', 'none 405', without('allow')),
    row('Allow lists too much', 'none 405', sets('allow', 'DELETE, GET, HEAD, PUT')),
    row('Allow is in lower case', 'none 405', { headers: { allow: (value) => value.toLowerCase() } }),
  ]),
  ...breaking('conformance.*.header.Retry-After', [
    row('Retry-After is missing on 429', '* 429', without('retry-after')),
    row('Retry-After is missing on 503', '* 503', without('retry-after')),
  ]),
  ...breaking('conformance.rules.other-origins', [
    row('pages of every origin are permitted', ['*', isPreflight], sets('access-control-allow-origin', '*')),
  ]),
];

const isMalformed: Predicate = ({ malformed }) => malformed !== undefined;
const hasMuch: Predicate = ({ headers }: ProxiedRequest) =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) > 8192;

export const messageMutants: readonly Mutant[] = [
  ...breaking('explored.service.message conformance.service.4* conformance.rules.request-id', [
    row('a malformed message gets no X-Request-Id', ['*', isMalformed], without('x-request-id')),
    row('a malformed message gets 400 without a body', ['*', isMalformed], (response) => ({
      ...response,
      headers: { connection: 'close' },
      body: '',
    })),
    row('a 431 has no X-Request-Id', '* 431', without('x-request-id')),
    row('more than 8 KiB of headers get 431', ['*', hasMuch], { refuse: 431 }),
  ]),
  ...breaking('conformance.rules.head', [row('Content-Length of HEAD is 0', '* HEAD', sets('content-length', '0'))]),
  ...breaking('generated.*.relation.conditional conformance.*.status explored.*.success*', [
    row('the ETag of a response gets 304', '* 200', (response, request) => {
      const etag = `"${response.body.length.toString(36)}"`;
      response.headers['etag'] = etag;
      return headerValues(request, 'if-none-match').includes(etag) ? { ...response, status: 304, body: '' } : response;
    }),
  ]),
  ...breaking('D80.validators', [
    row('the ETag of the description gets 200', ['*', path(/^\/openapi\.json/)], () => ({
      status: 200,
      headers: { 'content-type': 'application/json', etag: '"v1"', 'cache-control': 'no-cache' },
      body: '{}',
    })),
  ]),
];
