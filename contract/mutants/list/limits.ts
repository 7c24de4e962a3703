/** Limits that are not enforced, or belong to others, or are stated wrongly. */
import type { Behaviour, Mutant, ProxiedResponse } from '../mutant.ts';
import { header, secretOf } from '../requests.ts';
import { breaking, type Change, type Edits, refused, row, sentNow, sets } from '../rows.ts';

const limitOf = ({ headers: fields }: ProxiedResponse) => String(fields['ratelimit'] ?? '');
const leftOf = (response: ProxiedResponse) => Number(/;r=(\d+)/.exec(limitOf(response))?.[1] ?? NaN);
const ofFailures = (response: ProxiedResponse) => limitOf(response).includes('failed');

function stating(response: ProxiedResponse, edit: (left: number, seconds: number) => readonly [number, number]) {
  response.headers['ratelimit'] = limitOf(response).replace(/;r=(\d+);t=(\d+)/, (_all, left, seconds) => {
    const [otherLeft, otherSeconds] = edit(Number(left), Number(seconds));
    return `;r=${Math.max(1, otherLeft)};t=${otherSeconds}`;
  });
  return response;
}

/** Refuses requests while so many are left. */
const early =
  (isMeant: (left: number) => boolean): Change =>
  (response) => {
    const left = response.status === 429 || ofFailures(response) ? 0 : leftOf(response);
    return left > 0 && isMeant(left) ? refused(response, 429) : response;
  };

const tenLeft = early((left) => left <= 10);

/** Sends the last response to the same request in place of a limit's refusal. */
function unlimited(isMeant: (refusal: ProxiedResponse, key: string) => boolean = () => true): Behaviour {
  return {
    start: ({ forward }, matches) => {
      const last = new Map<string, ProxiedResponse>();
      return async (request) => {
        const response = await forward(request);
        const key = `${secretOf(request) ?? ''} ${request.method} ${request.path}`;
        if (response.status !== 429) last.set(key, response);
        if (response.status !== 429 || !matches(request, response) || !isMeant(response, key)) return response;
        const asGet = last.get(key.replace(' HEAD ', ' GET '));
        const allowed = last.get(key) ?? (asGet && { ...asGet, body: '' });
        return allowed ? sentNow(allowed, response) : response;
      };
    },
  };
}

const onceEach: Behaviour = {
  start: (server, matches) => {
    const lifted = new Set<string>();
    return unlimited((_response, key) => !lifted.has(key) && Boolean(lifted.add(key))).start(server, matches);
  },
};

const uncounted: Behaviour = {
  start: ({ forward }, matches) => {
    let counted = 0;
    return async (request) => {
      const response = await forward(request);
      if (matches(request, response)) counted += 1;
      return stating(response, (left, seconds) => [left + counted, seconds]);
    };
  },
};

const shared: Edits = {
  remember: () => {
    const secrets: (string | undefined)[] = [];
    return (response, request) => {
      if (response.status === 429) return response;
      secrets.push(secretOf(request));
      const others = secrets.slice(-40).filter((secret) => secret !== secretOf(request)).length;
      return stating(response, (left, seconds) => [left - others, seconds]);
    };
  },
};

const isForwarded = header('x-forwarded-for');
const ofKeys = unlimited((response) => !ofFailures(response));
const ofAddresses = unlimited(ofFailures);

export const limitMutants: readonly Mutant[] = [
  ...breaking(
    'conformance.rules.remainder D31.* explored.*limit* conformance.*.header.RateLimit* conformance.rules.limit',
    [
      row('RateLimit is constant', '* 2..', sets('ratelimit', '"credential";r=249;t=10')),
      row('the limits differ in their names', '*', sets('ratelimit-policy', '"all";q=250;w=10')),
      row('RateLimit of a 429 says that one request is left', '* 429', {
        headers: { ratelimit: (value) => value.replace('r=0', 'r=1') },
      }),
    ],
  ),
  ...breaking('replay.*.429 explored.*limit* conformance.rules.limit', [
    row(
      'Retry-After is longer than until the window ends',
      '* 429',
      sets('retry-after', (seconds) => String(Number(seconds) + 3)),
    ),
  ]),
  ...breaking('conformance.rules.remainder', [
    row('a fifth of the quota is missing from the start', 'setting|case 2..', (response) =>
      stating(response, (left, seconds) => [left - 50, seconds]),
    ),
    row('the seconds until the limit resets never decrease', 'setting|case 2..', (response) =>
      stating(response, (left) => [left, 10]),
    ),
  ]),
  ...breaking('conformance.rules.remainder D31.* explored.*limit* replay.*.429', [
    row('no limit is enforced', '* 429', unlimited()),
    row('HEAD is not limited', '* 429 HEAD', unlimited()),
    row('one request beyond the quota is accepted', '* 429', onceEach),
    row('the last ten requests are refused', '*', tenLeft),
    row('failed authentications are not limited', '* 429', ofAddresses),
    row('failed authentications count for valid keys', '* 200|429', {
      remember: () => {
        let until = 0;
        return (response) => {
          if (response.status === 429 && ofFailures(response)) until = Date.now() + 1000;
          return response.status === 200 && Date.now() < until ? refused(response, 429) : response;
        };
      },
    }),
    row('X-Forwarded-For resets the limit of a key', ['* 429', isForwarded], ofKeys),
    row('X-Forwarded-For is the address', ['* 429', isForwarded], ofAddresses),
  ]),
  ...breaking('D31.*apart* conformance.rules.remainder', [
    row('keys of one organisation share a limit', '* by owner_key|member_key', shared),
    row('refusals count for other keys', '* by owner_key|viewer_key', shared),
    row('keys and tokens share a limit', '* by owner_key|access_token', shared),
    row('all tokens share a limit', '* by access_token|other_access_token', shared),
    row('X-Forwarded-For selects the limit', ['*', isForwarded], uncounted),
  ]),
];
