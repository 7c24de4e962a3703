import { randomUUID } from 'node:crypto';
import type { Handler, Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import { errorResponse, headerValues } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

type Edit = (response: ProxiedResponse, request: ProxiedRequest) => void;

const path = ({ path: target }: ProxiedRequest) => target.replace(/\?.*/s, '');
const bytesOf = ({ headers }: ProxiedRequest) =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);

/** Headers, methods and connections that are right only for plain requests. */
export const crossedHeaderMutants: readonly Mutant[] = [
  editing('allow-without-head', 'Allow lists GET but not HEAD', (response) => {
    if (response.status === 405)
      response.headers['allow'] = String(response.headers['allow']).replace(' HEAD,', '').replace(', HEAD', '');
  }),
  editing('allow-lists-options', 'Allow lists OPTIONS, which is refused', (response) => {
    if (response.status === 405) response.headers['allow'] = `${String(response.headers['allow'])}, OPTIONS`;
  }),
  editing('realm-of-another-region', 'the realm of a challenge names another region', realm(/-uk"/, '-ca"')),
  editing(
    'realm-of-tokens-of-another-region',
    'the realm of a token challenge names another region',
    realm(/^(Bearer.*)-uk"/, '$1-ca"'),
  ),
  editing(
    'request-id-renewed-on-413',
    'the X-Request-Id of the request is replaced on 413',
    renewed((response) => response.status === 413),
  ),
  editing(
    'request-id-renewed-on-415',
    'the X-Request-Id of the request is replaced on 415',
    renewed((response) => response.status === 415),
  ),
  editing(
    'request-id-renewed-for-head',
    'the X-Request-Id of the request is replaced for HEAD',
    renewed((_response, request) => request.method === 'HEAD'),
  ),
  editing(
    'request-id-renewed-for-http-1-0',
    'the X-Request-Id of the request is replaced for HTTP/1.0',
    renewed((_response, request) => request.httpVersion === '1.0'),
  ),
  editing('request-id-of-a-list', 'the first of two X-Request-Id values is returned', (response, request) => {
    const [first, ...others] = headerValues(request, 'x-request-id');
    if (first !== undefined && others.length > 0) response.headers['x-request-id'] = first;
  }),
  editing(
    'request-id-constant-on-405',
    'every 405 without an X-Request-Id in its request has the same X-Request-Id',
    (response, request) => {
      if (response.status === 405 && headerValues(request, 'x-request-id').length === 0)
        response.headers['x-request-id'] = 'none';
    },
  ),
  editing('malformed-without-request-id', 'a malformed HTTP request gets no X-Request-Id', (response, request) => {
    if (request.malformed) delete response.headers['x-request-id'];
  }),
  editing('malformed-without-body', 'a malformed HTTP request gets 400 without a body', (response, request) => {
    if (!request.malformed) return;
    response.body = '';
    response.headers = { connection: 'close' };
  }),
  editing('too-large-header-without-request-id', 'a 431 has no X-Request-Id', (response) => {
    if (response.status === 431) delete response.headers['x-request-id'];
  }),
  editing('preflight-permitted', 'a preflight gets 405 with permission for every origin', (response, request) => {
    if (headerValues(request, 'access-control-request-method').length > 0)
      response.headers['access-control-allow-origin'] = '*';
  }),
  editing('origin-reflected', 'every origin may read responses', (response, request) => {
    const [origin] = headerValues(request, 'origin');
    if (origin !== undefined) response.headers['access-control-allow-origin'] = origin;
  }),
  editing('head-of-length-zero', 'Content-Length of HEAD is 0', (response, request) => {
    if (request.method === 'HEAD') response.headers['content-length'] = '0';
  }),
  editing('head-of-another-length-with-query', 'Content-Length of HEAD counts the query', (response, request) => {
    if (request.method === 'HEAD' && request.path.includes('?'))
      response.headers['content-length'] = String(Number(response.headers['content-length']) + 1);
  }),
  editing('head-may-be-kept', 'the response to HEAD is cacheable', (response, request) => {
    if (request.method === 'HEAD') response.headers['etag'] = '"1"';
    if (request.method === 'HEAD') response.headers['cache-control'] = undefined;
  }),
  ...handlerMutants([
    [
      'own-validator-responds-304',
      'the ETag of a response gets 304',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status !== 200) return response;
          const etag = `"${response.body.length.toString(36)}"`;
          response.headers['etag'] = etag;
          const matches = headerValues(request, 'if-none-match').some((value) => value.includes(etag));
          return matches ? { ...response, status: 304, body: '' } : response;
        },
    ],
    [
      'own-date-responds-304',
      'the Date of a response in If-Modified-Since gets 304',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const since = headerValues(request, 'if-modified-since').map((value) => Date.now() - Date.parse(value));
          const isRecent = since.some((age) => age >= 0 && age < 60_000);
          return response.status === 200 && isRecent ? { ...response, status: 304, body: '' } : response;
        },
    ],
    [
      'header-section-of-8-kib',
      'a header section of more than 8 KiB gets 431',
      bounded((request) => bytesOf(request) > 8192),
    ],
    [
      'header-section-of-50-fields',
      'more than 50 header fields get 431',
      bounded(({ headers }) => headers.length > 50),
    ],
    [
      'header-section-unbounded',
      'a header section of any size is accepted',
      ({ forward }) =>
        (request) =>
          forward(
            bytesOf(request) > 16_384
              ? { ...request, headers: request.headers.filter(([name]) => !/^x-filler/i.test(name)) }
              : request,
          ),
    ],
    [
      'header-section-too-large-is-400',
      'a header section that is too large gets 400',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return response.status === 431 ? errorResponse(response, 400, 'request.malformed') : response;
        },
    ],
    [
      'malformed-responds-404',
      'a malformed HTTP request gets 404',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.malformed ? errorResponse(response, 404, 'request.not-found') : response;
        },
    ],
    ['description-always-whole', 'the description gets 200 for its own ETag', published(() => false)],
    [
      'description-never-whole',
      'the description gets 304 for any ETag',
      published((request) => headerValues(request, 'if-none-match').length > 0),
    ],
    [
      'description-by-date',
      'If-Modified-Since is evaluated although If-None-Match has another ETag',
      published(
        (request) =>
          headerValues(request, 'if-modified-since').length > 0 ||
          headerValues(request, 'if-none-match').some((value) => value.includes('"v1"')),
      ),
    ],
  ]),
];

function editing(name: string, breaks: string, edit: Edit): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      edit(response, request);
      return response;
    };
  return { name, breaks, start };
}

function realm(pattern: RegExp, replacement: string): Edit {
  return ({ headers }) => {
    const challenge = headers['www-authenticate'];
    if (typeof challenge === 'string') headers['www-authenticate'] = challenge.replace(pattern, replacement);
  };
}

function renewed(condition: (response: ProxiedResponse, request: ProxiedRequest) => boolean): Edit {
  return (response, request) => {
    if (condition(response, request)) response.headers['x-request-id'] = randomUUID();
  };
}

function bounded(isTooLarge: (request: ProxiedRequest) => boolean): Mutant['start'] {
  return ({ forward }) =>
    async (request) =>
      isTooLarge(request)
        ? errorResponse(await forward({ ...request, headers: [['Host', 'a']] }), 431, 'request.header.too-large')
        : forward(request);
}

/** Publishes a description with the ETag "v1". */
function published(isUnchanged: (request: ProxiedRequest) => boolean): Mutant['start'] {
  return ({ forward }): Handler =>
    async (request) => {
      if (path(request) !== '/openapi.json') return forward(request);
      const headers = { 'content-type': 'application/json', etag: '"v1"', 'cache-control': 'no-cache' };
      return isUnchanged(request)
        ? { status: 304, headers, body: '' }
        : { status: 200, headers, body: request.method === 'HEAD' ? '' : '{}' };
    };
}
