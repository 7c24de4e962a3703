import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { errorResponse, headerValues, isUpdate, withBody } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

/** Requests that the document allows, but that are refused or misread. */
export const legalRequestMutants = [
  refusing(
    'accept-other-refused',
    'a request that accepts another media type is refused',
    (request) => headerValues(request, 'accept').some((value) => !/json|\*\/\*/.test(value)),
    406,
  ),
  refusing(
    'unknown-header-refused',
    'a request with an unknown header is refused',
    ({ headers }) => headers.some(([name]) => /^x-(?!api-key|request-id)/i.test(name)),
    400,
  ),
  refusing(
    'parameter-of-type-refused',
    'a media type parameter other than charset is refused',
    (request) => headerValues(request, 'content-type').some((value) => /;/.test(value) && !/charset/i.test(value)),
    415,
  ),
  refusing(
    'long-query-refused',
    'a query of 200 characters is refused',
    ({ path }) => (path.split('?')[1] ?? '').length > 200,
    414,
  ),
  refusing(
    'request-id-refused',
    'a malformed X-Request-Id is refused',
    (request) => headerValues(request, 'x-request-id').some((value) => !/^[\w.~-]{1,128}$/.test(value)),
    400,
  ),
  refusing(
    'chunked-request-refused',
    'a body without Content-Length is refused',
    (request) => headerValues(request, 'transfer-encoding').length > 0,
    411,
  ),
  refusing(
    'escaped-name-refused',
    'a body with an escaped member name is refused',
    ({ body }) => /\\u00/.test(body.toString()),
    400,
  ),
  ...handlerMutants([
    [
      'first-duplicate-counts',
      'the first value of a repeated field is used',
      ({ forward }) =>
        (request) => {
          const first = firstOfTwo(request.body);
          return forward(
            isUpdate(request) && first !== undefined ? withBody(request, `{"enabled":${first}}`) : request,
          );
        },
    ],
    [
      'duplicate-refused',
      'a repeated field is refused',
      ({ forward }) =>
        (request) =>
          forward(isUpdate(request) && firstOfTwo(request.body) !== undefined ? withBody(request, '[]') : request),
    ],
  ]),
];

/** Responds with this status to such requests that the server would accept. */
function refusing(name: string, breaks: string, isMeant: (request: ProxiedRequest) => boolean, status: number): Mutant {
  const codes: Record<number, string> = { 415: 'request.media-type.unsupported' };
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      return response.status === 200 && isMeant(request)
        ? errorResponse(response, status, codes[status] ?? 'request.validation.failed')
        : response;
    };
  return { name, breaks, start };
}

/** The first value of an object that has a single name, twice. */
function firstOfTwo(body: Buffer): string | undefined {
  const [, name, first, repeated] =
    /^\s*\{\s*("[^"]*")\s*:\s*("[^"]*"|true|false)\s*,\s*("[^"]*")\s*:\s*(?:true|false)\s*\}\s*$/.exec(
      body.toString(),
    ) ?? [];
  return name !== undefined && repeated !== undefined && JSON.parse(name) === JSON.parse(repeated) ? first : undefined;
}
