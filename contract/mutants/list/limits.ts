import type { Fault, ProxiedAnswer } from '../mutant.ts';
import { errorAnswer, secretOf } from '../requests.ts';
import { answerFaults, handlerFaults, headerFaults } from '../tamper.ts';

/** Limits that are not kept, or told wrongly. */
export const limitFaults = [
  ...headerFaults([
    ['limit-told-constant', 'RateLimit never counts down', '* 2..', { ratelimit: '"credential";r=249;t=2' }],
    ['limit-told-used-up', 'RateLimit says that nothing is left', '* 2..', { ratelimit: '"credential";r=0;t=1' }],
    [
      'limit-policy-of-another',
      'RateLimit-Policy tells another quota',
      '* ...',
      { 'ratelimit-policy': '"credential";q=1000;w=60' },
    ],
    [
      'limit-names-differ',
      'RateLimit names another policy than RateLimit-Policy',
      '* ...',
      { 'ratelimit-policy': '"requests";q=250;w=2' },
    ],
    ['retry-after-too-late', 'Retry-After is longer than the window', '* 429', { 'retry-after': '9' }],
  ]),
  ...answerFaults([
    [
      'limit-left-after-refusal',
      'RateLimit of a 429 says that one request is left',
      '* 429',
      (answer) => {
        answer.headers['ratelimit'] = String(answer.headers['ratelimit']).replace('r=0', 'r=1');
      },
    ],
  ]),
  ...handlerFaults([
    ['limit-absent', 'no limit is kept', unlimited(() => true)],
    ['limit-absent-for-updates', 'updates are not limited', unlimited((method) => method === 'PUT')],
    ['limit-absent-for-head', 'HEAD is not limited', unlimited((method) => method === 'HEAD')],
    [
      'limit-one-too-many',
      'one request more than told is answered',
      ({ forward }) => {
        const forgiven = new Set<string>();
        const last = new Map<string, ProxiedAnswer>();
        return async (request) => {
          const answer = await forward(request);
          const key = `${secretOf(request) ?? ''} ${request.method} ${request.path}`;
          if (answer.status !== 429) last.set(key, answer);
          else if (!forgiven.has(key) && last.has(key)) {
            forgiven.add(key);
            return last.get(key) ?? answer;
          }
          return answer;
        };
      },
    ],
    [
      'limit-half-of-what-is-told',
      'requests are refused while half of the limit is left',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          const left = Number(/;r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1] ?? NaN);
          if (answer.status === 429 || !(left < 125)) return answer;
          const limited = errorAnswer(answer, 429, 'request.rate-limit.exceeded');
          limited.headers['retry-after'] = '1';
          return limited;
        },
    ],
    [
      'limit-shared-by-all',
      'a used up limit holds for every credential',
      ({ forward }) => {
        let until = 0;
        return async (request) => {
          const answer = await forward(request);
          if (answer.status === 429) until = Date.now() + 1000 * Number(answer.headers['retry-after']);
          if (answer.status === 429 || Date.now() >= until) return answer;
          const limited = errorAnswer(answer, 429, 'request.rate-limit.exceeded');
          limited.headers['retry-after'] = '1';
          return limited;
        };
      },
    ],
    [
      'failed-authentication-unlimited',
      'failed authentications are not limited',
      ({ forward, credentials }) => {
        const known = Object.values(credentials);
        let refusal: ProxiedAnswer | undefined;
        return async (request) => {
          const answer = await forward(request);
          if (answer.status === 401) refusal = answer;
          return answer.status === 429 && refusal && !known.includes(secretOf(request) ?? '') ? refusal : answer;
        };
      },
    ],
    [
      'failures-spend-the-limit-of-keys',
      'failed authentications spend the limit of valid keys',
      ({ forward }) => {
        let until = 0;
        return async (request) => {
          const answer = await forward(request);
          if (answer.status === 429 && String(answer.headers['ratelimit']).includes('failed'))
            until = Date.now() + 1000;
          if (answer.status !== 200 || Date.now() >= until) return answer;
          const limited = errorAnswer(answer, 429, 'request.rate-limit.exceeded');
          limited.headers['retry-after'] = '1';
          return limited;
        };
      },
    ],
  ]),
];

/** A limited request is answered as the same one before it was. */
function unlimited(condition: (method: string) => boolean): Fault['start'] {
  return ({ forward }) => {
    const last = new Map<string, ProxiedAnswer>();
    return async (request) => {
      const answer = await forward(request);
      const key = `${secretOf(request) ?? ''} ${request.method} ${request.path}`;
      if (answer.status !== 429) last.set(key, answer);
      return answer.status === 429 && condition(request.method) ? (last.get(key) ?? answer) : answer;
    };
  };
}
