import { randomUUID } from 'node:crypto';
import { responseMutants, headerMutants } from '../tampering.ts';

const problem = { 'content-type': 'application/problem+json' };

/** Wrong media types, and headers that are missing or wrong. */
export const headerMutantList = [
  ...headerMutants([
    ['success-as-text', 'successes are text/plain', '* 200', { 'content-type': 'text/plain' }],
    ['error-as-html', 'errors are text/html', '* 4..', { 'content-type': 'text/html; charset=utf-8' }],
    ['error-as-problem-json', 'errors are application/problem+json', '* 4..', problem],
    ['failure-as-html', 'failures are text/html', '* 5..', { 'content-type': 'text/html' }],
    ['latin-1', 'responses are in ISO 8859-1', '* ...', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['no-media-type', 'responses have no Content-Type', '* 200', { 'content-type': undefined }],
    ['no-request-id', 'X-Request-Id is missing', '* ...', { 'x-request-id': undefined }],
    ['no-request-id-on-failure', 'X-Request-Id is missing on failures', '* 5..', { 'x-request-id': undefined }],
    [
      'constant-request-id',
      'every response has the same X-Request-Id',
      '* ...',
      { 'x-request-id': '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10' },
    ],
    ['no-rate-limit', 'RateLimit is missing', '* ...', { ratelimit: undefined }],
    ['no-rate-limit-on-errors', 'RateLimit is missing on errors', '* 4..', { ratelimit: undefined }],
    ['no-rate-limit-policy', 'RateLimit-Policy is missing', '* ...', { 'ratelimit-policy': undefined }],
    [
      'rate-limit-of-old-draft',
      'RateLimit has the format of an old draft',
      '* ...',
      { ratelimit: 'limit=250, remaining=249, reset=2' },
    ],
    ['no-challenge', 'WWW-Authenticate is missing on 401', '* 401', { 'www-authenticate': undefined }],
    [
      'basic-challenge',
      'WWW-Authenticate asks for Basic',
      '* 401',
      { 'www-authenticate': 'Basic realm="document-analysis-uk"' },
    ],
    ['challenge-without-realm', 'WWW-Authenticate has no realm', '* 401', { 'www-authenticate': 'Bearer' }],
    [
      'challenge-of-another-service',
      'the realm is not that of a region',
      '* 401',
      { 'www-authenticate': 'Bearer realm="document-analysis"' },
    ],
    ['no-cache-control', 'Cache-Control is missing', '* ...', { 'cache-control': undefined }],
    ['success-is-cached', 'a success is cacheable for a minute', '* 200', { 'cache-control': 'max-age=60' }],
    ['no-allow', 'Allow is missing on 405', '* 405', { allow: undefined }],
    [
      'allow-lists-too-much',
      'Allow lists methods that do not exist',
      '* 405',
      { allow: 'DELETE, GET, HEAD, PATCH, POST, PUT' },
    ],
    ['allow-lists-too-little', 'Allow lists only GET', '* 405', { allow: 'GET' }],
    ['no-retry-after', 'Retry-After is missing on 429', '* 429', { 'retry-after': undefined }],
    ['retry-after-as-date', 'Retry-After is a date', '* 429', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }],
    ['retry-after-zero', 'Retry-After is 0', '* 429', { 'retry-after': '0' }],
  ]),
  ...responseMutants([
    [
      'request-id-not-kept',
      'the X-Request-Id of the request is replaced',
      '* ...',
      (response) => {
        response.headers['x-request-id'] = randomUUID();
      },
    ],
    [
      'body-not-json',
      'the body has a trailing comma',
      '* 200',
      (response) => {
        response.body = response.body.replace(/\}$/, ',}');
      },
    ],
    [
      'body-with-byte-order-mark',
      'the body begins with a byte order mark',
      '* 200',
      (response) => {
        response.body = `\ufeff${response.body}`;
      },
    ],
    [
      'body-encoded-twice',
      'the body is JSON in a JSON string',
      '* 200',
      (response) => {
        response.body = JSON.stringify(response.body);
      },
    ],
    [
      'body-empty',
      'errors have no body',
      '* 4..',
      (response) => {
        response.body = '';
      },
    ],
    [
      'body-of-error-page',
      'the body of a failure is an error page',
      '* 5..',
      (response) => {
        response.body = '<h1>Internal Server Error</h1>';
      },
    ],
    [
      'invalid-token-without-credential',
      'the challenge reports an invalid token although none was sent',
      'getCase 401',
      (response) => {
        response.headers['www-authenticate'] = 'Bearer realm="document-analysis-uk", error="invalid_token"';
      },
    ],
  ]),
];
