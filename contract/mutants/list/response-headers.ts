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
    row('success-as-text', 'successes are text/plain', '* 200', sets('content-type', 'text/plain')),
    row('error-as-html', 'errors are text/html', '* 4..', sets('content-type', 'text/html; charset=utf-8')),
    row('success-in-utf-16', 'UTF-16 is declared', '* 200', sets('content-type', 'application/json; charset=utf-16')),
    row('media-type-twice', 'Content-Type twice', '* 200', sets('content-type', ['application/json', 'text/html'])),
  ]),
  ...breaking('conformance.*.header.X-Request-Id', [
    row('no-request-id', 'X-Request-Id is missing', '*', without('x-request-id')),
    row('request-id-empty', 'X-Request-Id is empty', '* 200', sets('x-request-id', '')),
    row('request-id-twice', 'X-Request-Id twice', '*', { headers: { 'x-request-id': (value) => [value, 'b'] } }),
  ]),
  ...breaking('conformance.rules.request-id', [
    row('constant-request-id', 'every response has the same X-Request-Id', '*', sets('x-request-id', 'a')),
    row('request-id-not-kept', 'the X-Request-Id of the request is replaced', '*', newId),
  ]),
  ...breaking('conformance.*.header.RateLimit*', [
    row('no-rate-limit', 'RateLimit is missing', '*', without('ratelimit')),
    row('rate-limit-of-old-draft', 'RateLimit of a draft', '*', sets('ratelimit', 'limit=250, remaining=9')),
    row('limit-negative', 'RateLimit states a negative remainder', '* 2..', {
      headers: { ratelimit: (value) => value.replace(/r=\d+/, 'r=-1') },
    }),
  ]),
  ...breaking('conformance.*.401.header.WWW-Authenticate', [
    row('no-challenge', 'WWW-Authenticate is missing on 401', '* 401', without('www-authenticate')),
    row('challenge-realm-unquoted', 'the realm is bare', '* 401', sets('www-authenticate', 'ApiKey realm=uk')),
  ]),
  ...breaking('conformance.rules.challenge', [
    row('challenge-of-another-region', 'the realm names another region', '* 401', {
      headers: { 'www-authenticate': (value) => value.replace('-uk"', '-ca"') },
    }),
    row('invalid-token-without-credential', 'a token that was not sent is invalid', 'case 401', invalidToken),
  ]),
  ...breaking('conformance.*.header.Cache-Control', [
    row('no-cache-control', 'Cache-Control is missing', '*', without('cache-control')),
    row('success-cached-privately', 'a success is private', '* 200', sets('cache-control', 'private')),
    row('head-may-be-kept', 'HEAD is cacheable', '* HEAD', { headers: { etag: '"1"', 'cache-control': undefined } }),
  ]),
  ...breaking('conformance.service.405.header.Allow conformance.rules.allow', [
    row('no-allow', 'Allow is missing on 405', 'none 405', without('allow')),
    row('allow-lists-too-much', 'Allow lists too much', 'none 405', sets('allow', 'DELETE, GET, HEAD, PUT')),
    row('allow-in-lower-case', 'Allow is in lower case', 'none 405', {
      headers: { allow: (value) => value.toLowerCase() },
    }),
  ]),
  ...breaking('conformance.*.header.Retry-After', [
    row('no-retry-after', 'Retry-After is missing on 429', '* 429', without('retry-after')),
    row('no-retry-after-on-unavailable', 'Retry-After is missing on 503', '* 503', without('retry-after')),
  ]),
  ...breaking('conformance.rules.other-origins', [
    row('preflight-permitted', 'all may call it', ['*', isPreflight], sets('access-control-allow-origin', '*')),
  ]),
];

const isMalformed: Predicate = ({ malformed }) => malformed !== undefined;
const hasMuch: Predicate = ({ headers }: ProxiedRequest) =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) > 8192;

export const messageMutants: readonly Mutant[] = [
  ...breaking('explored.service.message conformance.service.4* conformance.rules.request-id', [
    row('malformed-without-request-id', 'a malformed message gets no id', ['*', isMalformed], without('x-request-id')),
    row('malformed-without-body', 'a malformed message gets 400 without a body', ['*', isMalformed], (response) => ({
      ...response,
      headers: { connection: 'close' },
      body: '',
    })),
    row('too-large-header-without-request-id', 'a 431 has no X-Request-Id', '* 431', without('x-request-id')),
    row('header-section-of-8-kib', 'more than 8 KiB of headers get 431', ['*', hasMuch], { refuse: 431 }),
  ]),
  ...breaking('conformance.rules.head', [
    row('head-of-length-zero', 'Content-Length of HEAD is 0', '* HEAD', sets('content-length', '0')),
  ]),
  ...breaking('generated.*.relation.conditional conformance.*.status explored.*.success*', [
    row('own-validator-responds-304', 'the ETag of a response gets 304', '* 200', (response, request) => {
      const etag = `"${response.body.length.toString(36)}"`;
      response.headers['etag'] = etag;
      return headerValues(request, 'if-none-match').includes(etag) ? { ...response, status: 304, body: '' } : response;
    }),
  ]),
  ...breaking('D80.validators', [
    row('description-always-whole', 'its own ETag gets 200', ['*', path(/^\/openapi\.json/)], () => ({
      status: 200,
      headers: { 'content-type': 'application/json', etag: '"v1"', 'cache-control': 'no-cache' },
      body: '{}',
    })),
  ]),
];
