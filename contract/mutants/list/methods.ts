import type { Mutant } from '../mutant.ts';
import { withBody } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

const setting = '/organisations/features/verification';

/** Methods that do something other than documented. */
export const methodMutants = [
  ...handlerMutants([
    [
      'head-refused',
      'HEAD gets 405',
      ({ forward }) =>
        async (request) => {
          if (request.method !== 'HEAD') return forward(request);
          return forward({ ...request, method: 'POST' });
        },
    ],
    [
      'head-responds-200',
      'HEAD always gets 200',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'HEAD' ? { ...response, status: 200 } : response;
        },
    ],
    [
      'head-without-headers',
      'HEAD has none of the headers of GET',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'HEAD' ? { ...response, headers: {} } : response;
        },
    ],
    [
      'options-responds-204',
      'OPTIONS gets 204 with CORS headers',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'OPTIONS'
            ? { status: 204, headers: { 'access-control-allow-origin': '*' }, body: '' }
            : response;
        },
    ],
    [
      'trace-echoes',
      'TRACE echoes the request',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'TRACE'
            ? { status: 200, headers: { 'content-type': 'message/http' }, body: `TRACE ${request.path}` }
            : response;
        },
    ],
    [
      'delete-resets',
      'DELETE switches the setting off',
      ({ forward }) =>
        (request) =>
          request.method === 'DELETE' && request.path === setting
            ? forward(
                withBody(
                  { ...request, method: 'PUT', headers: [...request.headers, ['Content-Type', 'application/json']] },
                  '{"enabled":false}',
                ),
              )
            : forward(request),
    ],
  ]),
  otherMethod('post-updates', 'POST updates as PUT does', 'POST'),
  otherMethod('patch-updates', 'PATCH updates as PUT does', 'PATCH'),
];

function otherMethod(name: string, breaks: string, method: string): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    (request) =>
      forward(request.method === method && request.path.startsWith(setting) ? { ...request, method: 'PUT' } : request);
  return { name, breaks, start };
}
