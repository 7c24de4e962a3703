import type { Credentials } from '../../run/model.ts';
import { labelledSecrets } from '../credential-forms.ts';
import type { Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import { errorResponse, headerValues, secretOf } from '../requests.ts';
import { handlerMutants, headerMutants, responseMutants } from '../tampering.ts';

/** Limits that are not enforced, or stated wrongly. */
const quotaMutants = [
  ...headerMutants([
    [
      'limit-told-constant',
      'RateLimit never counts down',
      'D32.a-key',
      '* 2..',
      { ratelimit: '"credential";r=249;t=10' },
    ],
    [
      'limit-told-used-up',
      'RateLimit states that nothing is left',
      'D32.* replay.*.429',
      '* 2..',
      { ratelimit: '"credential";r=0;t=1' },
    ],
    [
      'limit-policy-of-another',
      'RateLimit-Policy states another quota',
      'conformance.rules.limit',
      '* ...',
      { 'ratelimit-policy': '"credential";q=1000;w=60' },
    ],
    [
      'limit-names-differ',
      'RateLimit names another policy than RateLimit-Policy',
      'conformance.*.header.RateLimit-Policy D32.*',
      '* ...',
      { 'ratelimit-policy': '"requests";q=250;w=10' },
    ],
    [
      'retry-after-too-late',
      'Retry-After is longer than the window',
      'replay.*.429 explored.*limit* conformance.*.429.*',
      '* 429',
      { 'retry-after': '99' },
    ],
  ]),
  ...responseMutants([
    [
      'limit-left-after-refusal',
      'RateLimit of a 429 says that one request is left',
      'conformance.rules.limit',
      '* 429',
      (response) => {
        response.headers['ratelimit'] = String(response.headers['ratelimit']).replace('r=0', 'r=1');
      },
    ],
  ]),
  ...handlerMutants([
    ['limit-absent', 'no limit is enforced', 'explored.*limit* D31.*', unlimited(() => true)],
    [
      'limit-absent-for-updates',
      'updates are not limited',
      'explored.updateVerificationSetting.limit*',
      unlimited(({ method }) => method === 'PUT'),
    ],
    [
      'limit-absent-for-head',
      'HEAD is not limited',
      'explored.updateVerificationSetting.limit*',
      unlimited(({ method }) => method === 'HEAD'),
    ],
    [
      'limit-one-too-many',
      'one request beyond the quota is accepted',
      'D31.* explored.*limit* replay.*.429',
      ({ forward }) => {
        const forgiven = new Set<string>();
        const last = new Map<string, ProxiedResponse>();
        return async (request) => {
          const response = await forward(request);
          const key = `${secretOf(request) ?? ''} ${request.method} ${request.path}`;
          if (response.status !== 429) last.set(key, response);
          else if (!forgiven.has(key) && last.has(key)) {
            forgiven.add(key);
            return sentNow(last.get(key) ?? response, response);
          }
          return response;
        };
      },
    ],
    [
      'limit-half-of-what-is-told',
      'requests are refused while half of the limit is left',
      'D31.* explored.*limit* replay.*.429 D32.* conformance.rules.limit',
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
      'failed-authentication-unlimited',
      'failed authentications are not limited',
      'explored.*.address-limit*',
      ({ forward, credentials }) => {
        const known = labelledSecrets(credentials).map(([, , secret]) => secret);
        let refusal: ProxiedResponse | undefined;
        return async (request) => {
          const response = await forward(request);
          if (response.status === 401) refusal = response;
          const isUnknown = !known.includes(secretOf(request) ?? '');
          return response.status === 429 && refusal && isUnknown ? sentNow(refusal, response) : response;
        };
      },
    ],
    [
      'failures-spend-the-limit-of-keys',
      'failed authentications count towards the limit of valid keys',
      'explored.*.address-limit* D31.kept-apart conformance.rules.limit',
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

type Named = (request: ProxiedRequest) => string;

/** Changes the numbers in the field RateLimit of a response. */
function restated(response: ProxiedResponse, edit: (left: number, seconds: number) => [number, number]): void {
  const field = String(response.headers['ratelimit'] ?? '');
  const [whole, left, seconds] = /;r=(\d+);t=(\d+)/.exec(field) ?? [];
  if (whole === undefined) return;
  const [otherLeft, otherSeconds] = edit(Number(left), Number(seconds));
  response.headers['ratelimit'] = field.replace(whole, `;r=${Math.max(1, otherLeft)};t=${otherSeconds}`);
}

/** The name of a request's credential, such as `owner_key`, even if it is a spare. */
function nameIn(credentials: Required<Credentials>): Named {
  const names = new Map(labelledSecrets(credentials).map(([name, , secret]) => [secret, name]));
  return (request) => names.get(secretOf(request) ?? '') ?? 'nobody';
}

/** Counts a request with one credential against the other's limit too. */
function sharing(...kinds: string[]): Mutant['start'] {
  return ({ forward, credentials }) => {
    const nameOf = nameIn(credentials);
    const requests: string[] = [];
    return async (request) => {
      const response = await forward(request);
      const name = nameOf(request);
      if (response.status === 429 || !kinds.includes(name)) return response;
      requests.push(name);
      const others = requests.slice(-40).filter((each) => each !== name).length;
      restated(response, (left, seconds) => [left - others, seconds]);
      return response;
    };
  };
}

const has = (name: string) => (request: ProxiedRequest) => headerValues(request, name).length > 0;

/** Does not count requests that fulfil the condition. */
function uncounted(condition: (request: ProxiedRequest) => boolean): Mutant['start'] {
  return ({ forward }) => {
    let counted = 0;
    return async (request) => {
      const response = await forward(request);
      if (condition(request)) counted += 1;
      restated(response, (left, seconds) => [left + counted, seconds]);
      return response;
    };
  };
}

/** Lets requests that fulfil the condition bypass a used-up limit. */
function evaded(limit: string, condition: (request: ProxiedRequest) => boolean): Mutant['start'] {
  return unlimited((request, { headers }) => String(headers['ratelimit']).includes(`"${limit}"`) && condition(request));
}

/** Refuses some requests before the quota is used up. */
function early(condition: (left: number, count: number) => boolean): Mutant['start'] {
  return ({ forward }) => {
    let requests = 0;
    return async (request) => {
      const response = await forward(request);
      const left = Number(/^"credential";r=(\d+)/.exec(String(response.headers['ratelimit']))?.[1] ?? NaN);
      if (response.status === 429 || !(left > 0) || !condition(left, (requests += 1))) return response;
      const refusal = errorResponse(response, 429, 'request.rate-limit.exceeded');
      Object.assign(refusal.headers, { 'retry-after': '1', ratelimit: '"credential";r=0;t=1' });
      return refusal;
    };
  };
}

/** Limits that end at another time, or belong to another caller. */
const limitWindowMutants = [
  ...responseMutants([
    [
      'reset-constant',
      'the seconds until the limit resets never decrease',
      'D186.counts-down',
      '* ...',
      (response) => {
        restated(response, (left) => [left, 10]);
      },
    ],
  ]),
  ...handlerMutants([
    [
      'limit-refuses-while-ten-left',
      'the last ten requests of a limit are refused',
      'D31.whole-quota',
      early((left) => left <= 10),
    ],
    [
      'limit-shared-by-keys',
      'keys of one organisation share a limit',
      'D31.apart-a-key-from-another-key',
      sharing('owner_key', 'member_key'),
    ],
    [
      'limit-shared-with-the-forbidden',
      'refused requests count towards the limit of other keys',
      'D31.apart-a-key-from-a-forbidden-key',
      sharing('owner_key', 'viewer_key'),
    ],
    [
      'limit-shared-by-key-and-token',
      'keys and tokens share a limit',
      'D31.apart-a-key-from-a-token',
      sharing('owner_key', 'access_token'),
    ],
    [
      'limit-shared-by-tokens',
      'all tokens share a limit',
      'D31.apart-a-token-from-another-token',
      sharing('access_token', 'other_access_token'),
    ],
    [
      'limit-shared-by-all-credentials',
      'all credentials share a limit',
      'D31.apart-*',
      sharing('owner_key', 'member_key', 'viewer_key', 'access_token', 'other_access_token'),
    ],
    [
      'limit-by-forwarded-for',
      'X-Forwarded-For selects the limit',
      'D31.apart-from-headers',
      uncounted(has('x-forwarded-for')),
    ],
    [
      'used-up-key-renewed-by-forwarded-for',
      'X-Forwarded-For resets the limit of a key',
      'D31.* explored.*limit*',
      evaded('credential', has('x-forwarded-for')),
    ],
    [
      'address-taken-from-forwarded-for',
      'X-Forwarded-For is trusted as the client address',
      'D31.* explored.*limit*',
      evaded('failed-authentication', has('x-forwarded-for')),
    ],
  ]),
];

export const limitMutants: readonly Mutant[] = [...quotaMutants, ...limitWindowMutants];

/** An earlier response, as the response to this request. */
function sentNow(earlier: ProxiedResponse, { headers }: ProxiedResponse): ProxiedResponse {
  return { ...earlier, headers: { ...earlier.headers, 'x-request-id': headers['x-request-id'] } };
}

/** Replaces a limit's refusal, if it fulfils the condition, with the previous response to the same request. */
function unlimited(condition: (request: ProxiedRequest, refusal: ProxiedResponse) => boolean): Mutant['start'] {
  return ({ forward }) => {
    const last = new Map<string, ProxiedResponse>();
    return async (request) => {
      const response = await forward(request);
      const key = `${secretOf(request) ?? ''} ${request.method} ${request.path}`;
      if (response.status !== 429) last.set(key, response);
      if (response.status !== 429 || !condition(request, response)) return response;
      const asGet = last.get(key.replace(' HEAD ', ' GET '));
      const allowed = last.get(key) ?? (asGet && { ...asGet, body: '' });
      return allowed ? sentNow(allowed, response) : response;
    };
  };
}
