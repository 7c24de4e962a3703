import { headerMutants, responseMutants } from '../tampering.ts';
import type { ProxiedResponse } from '../mutant.ts';

const setting = 'getVerificationSetting|updateVerificationSetting';

/** Headers with values that the document does not allow. */
export const headerValueMutants = [
  ...headerMutants([
    ['request-id-empty', 'X-Request-Id is empty', '* 200', { 'x-request-id': '' }],
    ['request-id-too-long', 'X-Request-Id has 129 characters', '* 4..', { 'x-request-id': 'a'.repeat(129) }],
    ['request-id-with-a-space', 'X-Request-Id is two words', '* 200', { 'x-request-id': 'request 1' }],
    ['request-id-of-other-characters', 'X-Request-Id contains a colon', '* ...', { 'x-request-id': 'urn:request:1' }],
    [
      'no-request-id-on-unknown-paths',
      'X-Request-Id is missing on unknown paths',
      'none 404',
      { 'x-request-id': undefined },
    ],
    ['no-request-id-on-unknown-methods', 'X-Request-Id is missing on 405', '* 405', { 'x-request-id': undefined }],
    ['success-cached-privately', 'Cache-Control of a success is private', '* 200', { 'cache-control': 'private' }],
    ['revalidated-cache-allowed', 'Cache-Control is no-cache', '* ...', { 'cache-control': 'no-cache' }],
    ['refusal-is-cached', 'a 401 is cacheable for a minute', '* 401', { 'cache-control': 'max-age=60' }],
    ['absence-is-cached', 'the 404 of a case is cacheable', 'getCase 404', { 'cache-control': 'max-age=5' }],
    ['no-cache-control-on-limits', 'Cache-Control is missing on 429', '* 429', { 'cache-control': undefined }],
    [
      'policy-without-quotes',
      'the name in RateLimit-Policy is not quoted',
      '* ...',
      { 'ratelimit-policy': 'credential;q=250;w=10' },
    ],
    ['policy-without-window', 'RateLimit-Policy has no window', '* ...', { 'ratelimit-policy': '"credential";q=250' }],
    [
      'policy-of-zero',
      'RateLimit-Policy states a quota of 0',
      '* ...',
      { 'ratelimit-policy': '"credential";q=0;w=10' },
    ],
    ['retry-after-negative', 'Retry-After is negative', '* 429', { 'retry-after': '-1' }],
    ['retry-after-with-fraction', 'Retry-After has a fraction', '* 429', { 'retry-after': '1.5' }],
    ['retry-after-with-unit', 'Retry-After has a unit', '* 429', { 'retry-after': '5s' }],
    ['no-retry-after-on-unavailable', 'Retry-After is missing on 503', '* 503', { 'retry-after': undefined }],
    ['success-in-utf-16', 'successes declare UTF-16', '* 200', { 'content-type': 'application/json; charset=utf-16' }],
    [
      'success-as-vendor-json',
      'successes have a vendor media type',
      '* 200',
      { 'content-type': 'application/vnd.case+json' },
    ],
    ['media-type-misspelt', 'the media type is misspelt', '* 200', { 'content-type': 'application/jsn' }],
    [
      'challenge-of-another-region',
      'the realm names another region',
      `${setting} 401`,
      { 'www-authenticate': 'ApiKey realm="document-analysis-ca"' },
    ],
    [
      'token-challenge-of-another-region',
      'the realm of a bearer challenge names another region',
      'getCase 401',
      { 'www-authenticate': 'Bearer realm="document-analysis-ca", error="invalid_token"' },
    ],
    [
      'challenge-realm-unquoted',
      'the realm is not quoted',
      '* 401',
      { 'www-authenticate': 'ApiKey realm=document-analysis-uk' },
    ],
    [
      'challenge-of-bearer-for-keys',
      'a refused key gets a challenge for a token',
      `${setting} 401`,
      { 'www-authenticate': 'Bearer realm="document-analysis-uk"' },
    ],
    [
      'challenge-of-key-for-tokens',
      'a refused token gets a challenge for a key',
      'getCase 401',
      { 'www-authenticate': 'ApiKey realm="document-analysis-uk"' },
    ],
    [
      'challenge-of-scope',
      'a refused token gets the error insufficient_scope',
      'getCase 401',
      { 'www-authenticate': 'Bearer realm="document-analysis-uk", error="insufficient_scope"' },
    ],
    ['allow-in-lower-case', 'the methods of Allow are in lower case', '* 405', { allow: 'get, head, put' }],
    ['allow-empty', 'Allow is empty', '* 405', { allow: '' }],
  ]),
  ...responseMutants([
    [
      'invalid-token-not-named',
      'the challenge has no error although a token was sent',
      'getCase 401',
      withHeader('www-authenticate', () => 'Bearer realm="document-analysis-uk"'),
    ],
    [
      'limit-negative',
      'RateLimit states a negative remainder',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace(/r=\d+/, 'r=-1')),
    ],
    [
      'limit-with-fraction',
      'RateLimit states a fraction of a request',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace(/r=(\d+)/, 'r=$1.5')),
    ],
    [
      'limit-without-reset',
      'RateLimit has no seconds until the reset',
      '* ...',
      withHeader('ratelimit', (value) => value.replace(/;t=\d+/, '')),
    ],
    [
      'limit-of-two-names',
      'RateLimit names another policy than RateLimit-Policy',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace('credential', 'public')),
    ],
    [
      'limit-above-the-quota',
      'RateLimit states more than the quota',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace(/r=\d+/, 'r=9999')),
    ],
    [
      'limit-reset-after-the-window',
      'RateLimit states a reset after the window',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace(/t=\d+/, 't=9999')),
    ],
    [
      'limit-told-by-both-names-public',
      'a request with a credential gets the limit of public operations',
      '* 2..',
      asPublic,
    ],
  ]),
];

function withHeader(name: string, edit: (value: string) => string): (response: ProxiedResponse) => void {
  return ({ headers }) => {
    const value = headers[name];
    if (typeof value === 'string') headers[name] = edit(value);
  };
}

function asPublic(response: ProxiedResponse): void {
  for (const name of ['ratelimit', 'ratelimit-policy'])
    withHeader(name, (value) => value.replace('credential', 'public'))(response);
}
