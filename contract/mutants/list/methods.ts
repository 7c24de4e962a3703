import type { Fault } from '../mutant.ts';
import { withBody } from '../requests.ts';
import { handlerFaults } from '../tamper.ts';

const setting = '/organisations/features/verification';

/** Methods that do something else than the document says. */
export const methodFaults = [
  ...handlerFaults([
    [
      'head-refused',
      'HEAD is 405',
      ({ forward }) =>
        async (request) => {
          if (request.method !== 'HEAD') return forward(request);
          return forward({ ...request, method: 'POST' });
        },
    ],
    [
      'head-answers-200',
      'HEAD is 200 whoever asks for whatever',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return request.method === 'HEAD' ? { ...answer, status: 200 } : answer;
        },
    ],
    [
      'head-without-headers',
      'HEAD has not the headers of GET',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return request.method === 'HEAD' ? { ...answer, headers: {} } : answer;
        },
    ],
    [
      'options-answers-204',
      'OPTIONS is answered as for CORS',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return request.method === 'OPTIONS'
            ? { status: 204, headers: { 'access-control-allow-origin': '*' }, body: '' }
            : answer;
        },
    ],
    [
      'trace-echoes',
      'TRACE echoes the request',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return request.method === 'TRACE'
            ? { status: 200, headers: { 'content-type': 'message/http' }, body: `TRACE ${request.path}` }
            : answer;
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

function otherMethod(name: string, breaks: string, method: string): Fault {
  const start: Fault['start'] =
    ({ forward }) =>
    (request) =>
      forward(request.method === method && request.path.startsWith(setting) ? { ...request, method: 'PUT' } : request);
  return { name, breaks, start };
}
