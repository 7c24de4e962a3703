import { labelledSecrets } from '../credential-forms.ts';
import type { ProxiedResponse } from '../mutant.ts';
import { errorResponse, secretOf } from '../requests.ts';
import { responseMutants, handlerMutants, headerMutants } from '../tampering.ts';
import { unlimited } from '../unlimited.ts';

/** Limits that are not enforced, or stated wrongly. */
export const limitMutants = [
  ...headerMutants([
    ['limit-told-constant', 'RateLimit never counts down', '* 2..', { ratelimit: '"credential";r=249;t=10' }],
    ['limit-told-used-up', 'RateLimit states that nothing is left', '* 2..', { ratelimit: '"credential";r=0;t=1' }],
    [
      'limit-policy-of-another',
      'RateLimit-Policy states another quota',
      '* ...',
      { 'ratelimit-policy': '"credential";q=1000;w=60' },
    ],
    [
      'limit-names-differ',
      'RateLimit names another policy than RateLimit-Policy',
      '* ...',
      { 'ratelimit-policy': '"requests";q=250;w=10' },
    ],
    ['retry-after-too-late', 'Retry-After is longer than the window', '* 429', { 'retry-after': '99' }],
  ]),
  ...responseMutants([
    [
      'limit-left-after-refusal',
      'RateLimit of a 429 says that one request is left',
      '* 429',
      (response) => {
        response.headers['ratelimit'] = String(response.headers['ratelimit']).replace('r=0', 'r=1');
      },
    ],
  ]),
  ...handlerMutants([
    ['limit-absent', 'no limit is enforced', unlimited(() => true)],
    ['limit-absent-for-updates', 'updates are not limited', unlimited(({ method }) => method === 'PUT')],
    ['limit-absent-for-head', 'HEAD is not limited', unlimited(({ method }) => method === 'HEAD')],
    [
      'limit-one-too-many',
      'one request beyond the quota is accepted',
      ({ forward }) => {
        const forgiven = new Set<string>();
        const last = new Map<string, ProxiedResponse>();
        return async (request) => {
          const response = await forward(request);
          const key = `${secretOf(request) ?? ''} ${request.method} ${request.path}`;
          if (response.status !== 429) last.set(key, response);
          else if (!forgiven.has(key) && last.has(key)) {
            forgiven.add(key);
            return last.get(key) ?? response;
          }
          return response;
        };
      },
    ],
    [
      'limit-half-of-what-is-told',
      'requests are refused while half of the limit is left',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const left = Number(/;r=(\d+)/.exec(String(response.headers['ratelimit']))?.[1] ?? NaN);
          if (response.status === 429 || !(left < 125)) return response;
          const limited = errorResponse(response, 429, 'request.rate-limit.exceeded');
          limited.headers['retry-after'] = '1';
          return limited;
        },
    ],
    [
      'limit-shared-by-all',
      'one exhausted limit applies to every credential',
      ({ forward }) => {
        let until = 0;
        return async (request) => {
          const response = await forward(request);
          if (response.status === 429) until = Date.now() + 1000 * Number(response.headers['retry-after']);
          if (response.status === 429 || Date.now() >= until) return response;
          const limited = errorResponse(response, 429, 'request.rate-limit.exceeded');
          limited.headers['retry-after'] = '1';
          return limited;
        };
      },
    ],
    [
      'failed-authentication-unlimited',
      'failed authentications are not limited',
      ({ forward, credentials }) => {
        const known = labelledSecrets(credentials).map(([, , secret]) => secret);
        let refusal: ProxiedResponse | undefined;
        return async (request) => {
          const response = await forward(request);
          if (response.status === 401) refusal = response;
          return response.status === 429 && refusal && !known.includes(secretOf(request) ?? '') ? refusal : response;
        };
      },
    ],
    [
      'failures-spend-the-limit-of-keys',
      'failed authentications count towards the limit of valid keys',
      ({ forward }) => {
        let until = 0;
        return async (request) => {
          const response = await forward(request);
          if (response.status === 429 && String(response.headers['ratelimit']).includes('failed'))
            until = Date.now() + 1000;
          if (response.status !== 200 || Date.now() >= until) return response;
          const limited = errorResponse(response, 429, 'request.rate-limit.exceeded');
          limited.headers['retry-after'] = '1';
          return limited;
        };
      },
    ],
  ]),
];
