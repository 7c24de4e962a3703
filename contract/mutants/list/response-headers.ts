import type { Mutant, ProxiedResponse } from '../mutant.ts';
import { type Body, bodyMutants, headerMutants, responseMutants } from '../tampering.ts';
import { randomUUID } from 'node:crypto';

/** Wrong media types, and headers that are missing or wrong. */
const headerMutantList = [
  ...headerMutants([
    [
      'success-as-text',
      'successes are text/plain',
      'conformance.*.200.media-type',
      '* 200',
      { 'content-type': 'text/plain' },
    ],
    [
      'error-as-html',
      'errors are text/html',
      'conformance.*.media-type',
      '* 4..',
      { 'content-type': 'text/html; charset=utf-8' },
    ],
    [
      'no-request-id',
      'X-Request-Id is missing',
      'conformance.*.header.X-Request-Id',
      '* ...',
      { 'x-request-id': undefined },
    ],
    [
      'constant-request-id',
      'every response has the same X-Request-Id',
      'conformance.rules.request-id',
      '* ...',
      { 'x-request-id': '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10' },
    ],
    ['no-rate-limit', 'RateLimit is missing', 'conformance.*.header.RateLimit', '* ...', { ratelimit: undefined }],
    [
      'no-rate-limit-policy',
      'RateLimit-Policy is missing',
      'conformance.*.header.RateLimit-Policy',
      '* ...',
      { 'ratelimit-policy': undefined },
    ],
    [
      'rate-limit-of-old-draft',
      'RateLimit has the format of an old draft',
      'conformance.*.header.RateLimit*',
      '* ...',
      { ratelimit: 'limit=250, remaining=249, reset=2' },
    ],
    [
      'no-challenge',
      'WWW-Authenticate is missing on 401',
      'conformance.*.401.header.WWW-Authenticate',
      '* 401',
      { 'www-authenticate': undefined },
    ],
    [
      'no-cache-control',
      'Cache-Control is missing',
      'conformance.*.header.Cache-Control',
      '* ...',
      { 'cache-control': undefined },
    ],
    ['no-allow', 'Allow is missing on 405', 'conformance.service.405.header.Allow', '* 405', { allow: undefined }],
    [
      'allow-lists-too-much',
      'Allow lists methods that do not exist',
      'conformance.service.405.header.Allow',
      '* 405',
      { allow: 'DELETE, GET, HEAD, PATCH, POST, PUT' },
    ],
    [
      'no-retry-after',
      'Retry-After is missing on 429',
      'conformance.*.429.header.Retry-After',
      '* 429',
      { 'retry-after': undefined },
    ],
  ]),
  ...responseMutants([
    [
      'request-id-not-kept',
      'the X-Request-Id of the request is replaced',
      'conformance.rules.request-id',
      '* ...',
      (response) => {
        response.headers['x-request-id'] = randomUUID();
      },
    ],
    [
      'body-not-json',
      'the body has a trailing comma',
      'conformance.*.200.body',
      '* 200',
      (response) => {
        response.body = response.body.replace(/\}$/, ',}');
      },
    ],
    [
      'body-empty',
      'errors have no body',
      'conformance.*.body',
      '* 4..',
      (response) => {
        response.body = '';
      },
    ],
    [
      'invalid-token-without-credential',
      'the challenge reports an invalid token although none was sent',
      'conformance.rules.challenge',
      'getCase 401',
      (response) => {
        response.headers['www-authenticate'] = 'Bearer realm="document-analysis-uk", error="invalid_token"';
      },
    ],
  ]),
];

const setting = 'getVerificationSetting|updateVerificationSetting';

/** Headers with values that the document does not allow. */
const headerValueMutants = [
  ...headerMutants([
    ['request-id-empty', 'X-Request-Id is empty', 'conformance.*.header.X-Request-Id', '* 200', { 'x-request-id': '' }],
    [
      'no-request-id-on-unknown-paths',
      'X-Request-Id is missing on unknown paths',
      'conformance.service.404.header.X-Request-Id',
      'none 404',
      { 'x-request-id': undefined },
    ],
    [
      'no-request-id-on-unknown-methods',
      'X-Request-Id is missing on 405',
      'conformance.service.405.header.X-Request-Id',
      '* 405',
      { 'x-request-id': undefined },
    ],
    [
      'success-cached-privately',
      'Cache-Control of a success is private',
      'conformance.*.header.Cache-Control',
      '* 200',
      { 'cache-control': 'private' },
    ],
    [
      'no-cache-control-on-limits',
      'Cache-Control is missing on 429',
      'conformance.*.429.header.Cache-Control',
      '* 429',
      { 'cache-control': undefined },
    ],
    [
      'policy-without-quotes',
      'the name in RateLimit-Policy is not quoted',
      'conformance.*.header.RateLimit-Policy',
      '* ...',
      { 'ratelimit-policy': 'credential;q=250;w=10' },
    ],
    [
      'retry-after-negative',
      'Retry-After is negative',
      'conformance.*.429.header.Retry-After',
      '* 429',
      { 'retry-after': '-1' },
    ],
    [
      'no-retry-after-on-unavailable',
      'Retry-After is missing on 503',
      'conformance.*.503.header.Retry-After',
      '* 503',
      { 'retry-after': undefined },
    ],
    [
      'success-in-utf-16',
      'successes declare UTF-16',
      'conformance.*.media-type',
      '* 200',
      { 'content-type': 'application/json; charset=utf-16' },
    ],
    [
      'challenge-of-another-region',
      'the realm names another region',
      'conformance.rules.challenge',
      `${setting} 401`,
      { 'www-authenticate': 'ApiKey realm="document-analysis-ca"' },
    ],
    [
      'challenge-realm-unquoted',
      'the realm is not quoted',
      'conformance.*.401.header.WWW-Authenticate',
      '* 401',
      { 'www-authenticate': 'ApiKey realm=document-analysis-uk' },
    ],
    [
      'allow-in-lower-case',
      'the methods of Allow are in lower case',
      'conformance.service.405.header.Allow',
      '* 405',
      { allow: 'get, head, put' },
    ],
  ]),
  ...responseMutants([
    [
      'limit-negative',
      'RateLimit states a negative remainder',
      'conformance.*.header.RateLimit',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace(/r=\d+/, 'r=-1')),
    ],
    [
      'limit-of-two-names',
      'RateLimit names another policy than RateLimit-Policy',
      'conformance.rules.limit',
      '* 2..',
      withHeader('ratelimit', (value) => value.replace('credential', 'public')),
    ],
  ]),
];

function withHeader(name: string, edit: (value: string) => string): (response: ProxiedResponse) => void {
  return ({ headers }) => {
    const value = headers[name];
    if (typeof value === 'string') headers[name] = edit(value);
  };
}

const readCase = 'getCase 200';
const settingSuccess = 'getVerificationSetting|updateVerificationSetting 200';

/** Bytes that are not text, repeated members and headers, and times out of order. */
const responseByteMutants: readonly Mutant[] = [
  ...responseMutants([
    [
      'errors-in-latin-1',
      'error messages are in ISO 8859-1',
      'conformance.*.body',
      '* 4..',
      (response) => {
        sendBytes(
          response,
          Buffer.from(response.body.replace('"error_message":"', '"error_message":"\u00e9 '), 'latin1'),
        );
      },
    ],
    [
      'label-cut-within-a-letter',
      'a label is truncated within a UTF-8 character',
      'conformance.getCase.200.body',
      readCase,
      (response) => {
        const [before = '', after = ''] = response.body.split(/(?<="label":")(.*)/s);
        sendBytes(response, Buffer.concat([Buffer.from(before), Buffer.from([0xe2, 0x82]), Buffer.from(after)]));
      },
    ],
    [
      'setting-twice',
      'enabled occurs twice in the body',
      'conformance.*.200.body',
      settingSuccess,
      (response) => {
        response.body = response.body.replace(/^\{/, '{"enabled":true,');
      },
    ],
    [
      'file-id-twice',
      'file_id occurs twice in each file',
      'conformance.getCase.200.body',
      readCase,
      (response) => {
        response.body = response.body.replaceAll('"file_id":', '"file_id":"1","\\u0066ile_id":');
      },
    ],
    [
      'media-type-twice',
      'Content-Type is sent twice',
      'conformance.*.200.media-type',
      '* 200',
      (response) => {
        response.headers['content-type'] = ['application/json', 'text/html'];
      },
    ],
    [
      'request-id-twice',
      'X-Request-Id is sent twice',
      'conformance.*.header.X-Request-Id',
      '* ...',
      (response) => {
        response.headers['x-request-id'] = [String(response.headers['x-request-id']), 'second'];
      },
    ],
    [
      'retry-after-twice',
      'Retry-After is sent twice',
      'conformance.*.429.header.Retry-After',
      '* 429',
      (response) => {
        response.headers['retry-after'] = [String(response.headers['retry-after']), '86400'];
      },
    ],
  ]),
  ...bodyMutants([
    [
      'uploaded-before-created',
      'files were uploaded before their case was created',
      'conformance.getCase.200.relation',
      readCase,
      (body) => earlier(body, 'uploaded_at', body.created_at),
    ],
    [
      'first-fault-misnamed',
      'error_details.field differs from the first error',
      'conformance.*.400.body',
      '* 400',
      (body) => ({
        ...body,
        error_details: { ...body.error_details, field: 'somewhere' },
      }),
    ],
  ]),
];

function sendBytes(response: ProxiedResponse, bytes: Buffer): void {
  response.send = (outgoing) => {
    for (const [name, value] of Object.entries(response.headers))
      if (value !== undefined && !/^(connection|keep-alive|transfer-encoding|content-length)$/.test(name))
        outgoing.setHeader(name, value);
    outgoing.writeHead(response.status).end(bytes);
  };
}

function before(time: unknown): string {
  return new Date(Date.parse(String(time)) - 1).toISOString();
}

/** Sets this time of all files, or the one of the case, to a moment before the given time. */
function earlier(body: Body, name: 'uploaded_at' | 'analysis_completed_at', time: unknown): Body {
  const at = before(time);
  if (body.files) return { ...body, files: body.files.map((file) => ({ ...file, [name]: at })) };
  return body[name] === null ? body : { ...body, [name]: at };
}

export const responseHeaderMutants: readonly Mutant[] = [
  ...headerMutantList,
  ...headerValueMutants,
  ...responseByteMutants,
];
