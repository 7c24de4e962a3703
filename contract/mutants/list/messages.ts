import type { Handler, Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import { errorResponse, headerValues } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';
import { randomUUID } from 'node:crypto';

type Edit = (response: ProxiedResponse, request: ProxiedRequest) => void;

const path = ({ path: target }: ProxiedRequest) => target.replace(/\?.*/s, '');
const bytesOf = ({ headers }: ProxiedRequest) =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);

/** Headers, methods and connections that are right only for plain requests. */
export const messageMutants: readonly Mutant[] = [
  editing('allow-without-head', 'Allow lists GET but not HEAD', 'conformance.service.405.header.Allow', (response) => {
    if (response.status === 405)
      response.headers['allow'] = String(response.headers['allow']).replace(' HEAD,', '').replace(', HEAD', '');
  }),
  editing(
    'realm-of-another-region',
    'the realm of a challenge names another region',
    'conformance.rules.challenge',
    realm(/-uk"/, '-ca"'),
  ),
  editing(
    'request-id-renewed-on-413',
    'the X-Request-Id of the request is replaced on 413',
    'conformance.rules.request-id',
    renewed((response) => response.status === 413),
  ),
  editing(
    'malformed-without-request-id',
    'a malformed HTTP request gets no X-Request-Id',
    'explored.service.message conformance.service.400.*',
    (response, request) => {
      if (request.malformed) delete response.headers['x-request-id'];
    },
  ),
  editing(
    'malformed-without-body',
    'a malformed HTTP request gets 400 without a body',
    'explored.service.message conformance.service.400.*',
    (response, request) => {
      if (!request.malformed) return;
      response.body = '';
      response.headers = { connection: 'close' };
    },
  ),
  editing(
    'too-large-header-without-request-id',
    'a 431 has no X-Request-Id',
    'explored.service.message conformance.service.431.*',
    (response) => {
      if (response.status === 431) delete response.headers['x-request-id'];
    },
  ),
  editing(
    'preflight-permitted',
    'a preflight gets 405 with permission for every origin',
    'conformance.rules.other-origins',
    (response, request) => {
      if (headerValues(request, 'access-control-request-method').length > 0)
        response.headers['access-control-allow-origin'] = '*';
    },
  ),
  editing('head-of-length-zero', 'Content-Length of HEAD is 0', 'conformance.rules.head', (response, request) => {
    if (request.method === 'HEAD') response.headers['content-length'] = '0';
  }),
  editing(
    'head-may-be-kept',
    'the response to HEAD is cacheable',
    'conformance.*.header.Cache-Control',
    (response, request) => {
      if (request.method === 'HEAD') response.headers['etag'] = '"1"';
      if (request.method === 'HEAD') response.headers['cache-control'] = undefined;
    },
  ),
  ...handlerMutants([
    [
      'own-validator-responds-304',
      'the ETag of a response gets 304',
      'generated.*.relation.conditional conformance.*.status',
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
      'header-section-of-8-kib',
      'a header section of more than 8 KiB gets 431',
      'explored.service.message',
      bounded((request) => bytesOf(request) > 8192),
    ],
    ['description-always-whole', 'the description gets 200 for its own ETag', 'D80.validators', published(() => false)],
  ]),
];

function editing(name: string, breaks: string, promise: string, edit: Edit): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      edit(response, request);
      return response;
    };
  return { name, breaks, promise, start };
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
