import type { Credentials } from '../../run/model.ts';
import { labelledSecrets } from '../credential-forms.ts';
import type { Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import { errorResponse, headerValues, secretOf } from '../requests.ts';
import { handlerMutants, responseMutants } from '../tampering.ts';
import { unlimited } from '../unlimited.ts';

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
const anyForwarding = (request: ProxiedRequest) =>
  ['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip'].some((name) => has(name)(request));

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
export const limitWindowMutants = [
  ...responseMutants([
    [
      'reset-constant',
      'the seconds until the limit resets never decrease',
      '* ...',
      (response) => {
        restated(response, (left) => [left, 10]);
      },
    ],
    [
      'reset-in-milliseconds',
      'the time until the limit resets is in milliseconds',
      '* 2..',
      (response) => {
        restated(response, (left, seconds) => [left, seconds * 1000]);
      },
    ],
  ]),
  ...handlerMutants([
    ['limit-refuses-while-ten-left', 'the last ten requests of a limit are refused', early((left) => left <= 10)],
    ['limit-refuses-each-fortieth', 'every fortieth request is refused', early((_left, count) => count % 40 === 0)],
    ['limit-shared-by-keys', 'keys of one organisation share a limit', sharing('owner_key', 'member_key')],
    [
      'limit-shared-with-the-forbidden',
      'refused requests count towards the limit of other keys',
      sharing('owner_key', 'viewer_key'),
    ],
    ['limit-shared-by-key-and-token', 'keys and tokens share a limit', sharing('owner_key', 'access_token')],
    [
      'limit-shared-by-organisation',
      'all credentials of an organisation share a limit',
      sharing('owner_key', 'member_key', 'viewer_key', 'access_token'),
    ],
    ['limit-shared-by-tokens', 'all tokens share a limit', sharing('access_token', 'other_access_token')],
    [
      'limit-shared-by-all-credentials',
      'all credentials share a limit',
      sharing('owner_key', 'member_key', 'viewer_key', 'access_token', 'other_access_token'),
    ],
    ['limit-by-forwarded-for', 'X-Forwarded-For selects the limit', uncounted(has('x-forwarded-for'))],
    ['limit-by-real-ip', 'X-Real-IP and similar headers select the limit', uncounted(anyForwarding)],
    [
      'used-up-key-renewed-by-forwarded-for',
      'X-Forwarded-For resets the limit of a key',
      evaded('credential', has('x-forwarded-for')),
    ],
    [
      'used-up-key-renewed-by-real-ip',
      'X-Real-IP and similar headers reset the limit of a key',
      evaded('credential', anyForwarding),
    ],
    [
      'address-taken-from-forwarded-for',
      'X-Forwarded-For is trusted as the client address',
      evaded('failed-authentication', has('x-forwarded-for')),
    ],
    [
      'address-taken-from-real-ip',
      'X-Real-IP and similar headers are trusted as the client address',
      evaded('failed-authentication', anyForwarding),
    ],
  ]),
];
