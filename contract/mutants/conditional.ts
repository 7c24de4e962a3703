/** Mutants under a condition: the same fault, seen only by a request that is asked in one way. */
import type { Choice } from '../dimensions/choice.ts';
import { headerGroups } from '../dimensions/headers.ts';
import { ignoredDimensions } from '../dimensions/ignored.ts';
import type { Operation } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { expectedOf } from '../oracle/expected.ts';
import { placeholderContext, placeholders, placeholderWorld } from '../plan/placeholders.ts';
import { randomOf } from '../plan/rows.ts';
import { situationsOf } from '../plan/situations.ts';
import type { RequestSpec } from '../run/model.ts';
import { wireFields } from '../run/wire.ts';
import { plainServers } from './list/index.ts';
import type { Mutant, ProxiedRequest } from './mutant.ts';
import { body, header, headerValues, query } from './requests.ts';

interface Condition {
  readonly name: string;
  /** Called for each request, before it is forwarded. @param inFlight how many others are in flight */
  readonly start: () => (request: ProxiedRequest, inFlight: number) => boolean;
  /** Whether the request alone decides; otherwise, any request that is HTTP can meet it. */
  readonly isOfRequest: boolean;
}

const on = (name: string, matches: (request: ProxiedRequest) => boolean): Condition => ({
  name,
  start: () => matches,
  isOfRequest: true,
});

const over = (name: string, start: Condition['start']): Condition => ({ name, start, isOfRequest: false });

const counted = (name: string, matches: (count: number) => boolean) =>
  over(name, () => {
    let count = 0;
    return () => matches((count += 1));
  });

/** A header, whatever its value, and each of its values. */
const headerConditions = headerGroups
  .flatMap(({ anyApi = [], anyStatus = [], ownApi = [] }) => [...anyApi, ...anyStatus, ...ownApi])
  .flatMap(([names, ...values]) => names.split(' ').flatMap((name) => conditionsOf(name, values)));

function conditionsOf(name: string, values: readonly string[]): Condition[] {
  const sent = (request: ProxiedRequest) => headerValues(request, name.toLowerCase());
  const isSent = (value: string) => (request: ProxiedRequest) =>
    sent(request).some((text) => value.split('\n').includes(text.trim()));
  return [
    on(`with ${name}`, (request) => sent(request).length > 0),
    ...values.map((value) => on(`with ${name}: ${value.slice(0, 40)}`, isSent(value))),
  ];
}

const otherConditions = [
  on('with a query', query()),
  on('with a long query', query(/.{1000}/)),
  on('with a chunked body', header('transfer-encoding')),
  on('with Expect', header('expect')),
  on('over HTTP/1.0', ({ httpVersion }) => httpVersion === '1.0'),
  on('with Connection: close', header('connection', /close/i)),
  on('with header names in lower case', ({ headers }) =>
    headers.every(([name]) => name === name.toLowerCase() || name === 'Host'),
  ),
  on('with header names in capitals', ({ headers }) =>
    headers.some(([name]) => name.length > 4 && name === name.toUpperCase()),
  ),
  on('with more than 30 headers', ({ headers }) => headers.length > 30),
  on('with a body in other spelling', body(/^\s|\s$|\\u|\n/)),
  over('with others in flight', () => (_request, inFlight) => inFlight > 1),
  over('with 5 others in flight', () => (_request, inFlight) => inFlight > 5),
  counted('from the 100th request on', (count) => count > 100),
  counted('from the 600th request on', (count) => count > 600),
  counted('each 7th request', (count) => count % 7 === 0),
  over('from the 3rd request of a connection on', () => {
    const seen = new WeakMap<object, number>();
    return ({ connection = {} }) => {
      const count = (seen.get(connection) ?? 0) + 1;
      seen.set(connection, count);
      return count > 2;
    };
  }),
  over('on the same request again', () => {
    let last = '';
    return ({ method, path, body: bytes }) => {
      const key = `${method} ${path} ${bytes.toString('latin1')}`;
      const isSame = key === last;
      last = key;
      return isSame;
    };
  }),
];

/** The mutant, which behaves as the server behind it unless the condition holds. */
function under(mutant: Mutant, { name, start }: Condition): Mutant {
  let shown = 0;
  return {
    ...mutant,
    name: `${mutant.name} ${name}`,
    shown: () => shown,
    start: (server) => {
      const forward: typeof server.forward = async (request) => {
        const response = await server.forward(request);
        if (request.isMet === true && mutant.shows(request, response.status, server.credentials)) shown += 1;
        return response;
      };
      const [broken, holds] = [mutant.start({ ...server, forward }), start()];
      let inFlight = 0;
      return async (request) => {
        inFlight += 1;
        try {
          return await broken({ ...request, isMet: holds(request, inFlight - 1) });
        } finally {
          inFlight -= 1;
        }
      };
    },
  };
}

/** The mutant and the condition that a name consists of. */
function partsOf(name: string): [Mutant, Condition] | undefined {
  const [plain = '', ...rest] = name.split(' ');
  const condition = [...headerConditions, ...otherConditions].find((each) => each.name === rest.join(' '));
  const mutant = plainServers.get(plain);
  return mutant && condition && [mutant, condition];
}

/** The conditional mutant of a name. */
export function conditional(name: string): Mutant | undefined {
  const parts = partsOf(name);
  return parts && under(...parts);
}

/**
 * Draws so many conditional mutants of these plain ones by a seed.
 * @returns also the void pairs that were drawn: no request can meet the condition where the mutant shows its fault
 */
export function drawConditional(plainNames: readonly string[], count: number, seed: number) {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const mutants = plainNames.flatMap((name) => plainServers.get(name) ?? []);
  const [names, voids]: [string[], string[]] = [[], []];
  while (names.length < count && voids.length < 10 * count) {
    const [mutant, condition] = [pick(mutants), random() < 0.7 ? pick(headerConditions) : pick(otherConditions)];
    (isPossible(mutant, condition) ? names : voids).push(`${mutant.name} ${condition.name}`);
  }
  return { names, voids };
}

/** Whether some request can show the fault of a conditional mutant. */
export function canShow(name: string): boolean {
  const parts = partsOf(name);
  return parts !== undefined && isPossible(...parts);
}

/** A request that the suite makes, as it is sent, and the statuses that it may get. */
interface Asked {
  readonly request: RequestSpec;
  readonly sent: ProxiedRequest;
  readonly operation: Operation | undefined;
  readonly statuses: readonly number[];
}

const choices = ignoredDimensions.flatMap((dimension) => dimension.choices);
const isFit = ({ fits }: Choice, { request, operation }: Asked) => fits?.(request, operation) !== false;

/** The requests of the suite, and one of each kind asked in every other way. */
function requestsOfSuite() {
  const world = placeholderWorld(ownDocument);
  const description = { method: 'GET', path: '/openapi.json' };
  const asked: readonly Asked[] = [
    ...situationsOf(ownDocument, 1).map(({ request: ask, documented }) => {
      const request = ask(placeholderContext);
      const { operation, statuses } = documented ?? expectedOf(request, world);
      // Any request may be limited, or meet a failure, beside what the oracle says of it.
      return { request, sent: proxied(request), operation, statuses: [...statuses, 429, 500, 503] };
    }),
    { request: description, sent: proxied(description), operation: undefined, statuses: [200] },
  ];
  const kinds = new Map(asked.map((each) => [`${each.request.method} ${each.statuses.join()}`, each]));
  const ways = [...kinds.values()].flatMap((each) =>
    choices
      .filter((choice) => isFit(choice, each))
      .map((choice) => ({ choice, sent: proxied(choice.apply(each.request)) })),
  );
  return { asked, ways };
}

let suite: ReturnType<typeof requestsOfSuite> | undefined;

/** Whether some request shows the fault of a mutant and meets a condition, as it is or asked in one of the other ways. */
function isPossible(mutant: Mutant, { start, isOfRequest }: Condition): boolean {
  const { asked, ways } = (suite ??= requestsOfSuite());
  const shows = (sent: ProxiedRequest, { statuses }: Asked) =>
    statuses.some((status) => mutant.shows(sent, status, placeholders));
  const plain = asked.filter((each) => shows(each.sent, each));
  // Any other request can be repeated, or have company.
  if (!isOfRequest) return plain.length === 0 || plain.some(({ sent }) => sent.malformed === undefined);
  const meets = start();
  if (plain.some(({ sent }) => meets(sent, 0))) return true;
  const usable = new Set(ways.filter(({ sent }) => meets(sent, 0)).map(({ choice }) => choice));
  return asked.some((each) =>
    [...usable].some((choice) => {
      if (!isFit(choice, each)) return false;
      const sent = proxied(choice.apply(each.request));
      return meets(sent, 0) && shows(sent, each);
    }),
  );
}

/** A request as the proxy before a mutant gets it. */
function proxied({
  method,
  path,
  headers = [],
  body: content = '',
  requestLine,
  wire = {},
}: RequestSpec): ProxiedRequest {
  if (requestLine !== undefined)
    return { method: '', path: '', headers: [], body: Buffer.alloc(0), malformed: Buffer.from(requestLine) };
  const sent = [...headers, ...wireFields(wire)];
  return { method, path, headers: sent, body: Buffer.from(content), httpVersion: wire.version ?? '1.1' };
}
