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
import { harmlessVariants } from './harmless.ts';
import { mutantsByKind } from './list/index.ts';
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
  return [
    on(`with ${name}`, (request) => sent(request).length > 0),
    ...values.map((value) =>
      on(`with ${name}: ${value.slice(0, 40)}`, (request) =>
        sent(request).some((text) => value.split('\n').includes(text.trim())),
      ),
    ),
  ];
}

const anyOf = (matches: (...of: never[]) => boolean) => (request: ProxiedRequest) =>
  (matches as (request: ProxiedRequest, credentials: unknown) => boolean)(request, {});

const otherConditions = [
  on('with a query', anyOf(query())),
  on('with a long query', anyOf(query(/.{1000}/))),
  on('with a chunked body', anyOf(header('transfer-encoding'))),
  on('with Expect', anyOf(header('expect'))),
  on('over HTTP/1.0', ({ httpVersion }) => httpVersion === '1.0'),
  on('with Connection: close', anyOf(header('connection', /close/i))),
  on('with header names in lower case', ({ headers }) =>
    headers.every(([name]) => name === name.toLowerCase() || name === 'Host'),
  ),
  on('with header names in capitals', ({ headers }) =>
    headers.some(([name]) => name.length > 4 && name === name.toUpperCase()),
  ),
  on('with more than 30 headers', ({ headers }) => headers.length > 30),
  on('with a body in other spelling', anyOf(body(/^\s|\s$|\\u|\n/))),
  over('with others in flight', () => (_request, inFlight) => inFlight > 1),
  over('with 5 others in flight', () => (_request, inFlight) => inFlight > 5),
  counted('from the 100th request on', (count) => count > 100),
  counted('from the 600th request on', (count) => count > 600),
  counted('each 7th request', (count) => count % 7 === 0),
  over('from the 3rd request of a connection on', () => {
    const seen = new WeakMap<object, number>();
    return ({ connection }) => {
      const count = connection ? (seen.get(connection) ?? 0) + 1 : 0;
      if (connection) seen.set(connection, count);
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
    breaks: `${mutant.breaks}, ${name}`,
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

/** The mutants and harmless variants that differ at some place, by their names. */
const placed = new Map(
  [...Object.values(mutantsByKind).flat(), ...harmlessVariants].flatMap((server) =>
    'shows' in server ? [[server.name, server as Mutant] as const] : [],
  ),
);

/** The mutant and the condition that a name consists of. */
function partsOf(name: string): [Mutant, Condition] | undefined {
  const [plain = '', ...rest] = name.split(' ');
  const condition = [...headerConditions, ...otherConditions].find((each) => each.name === rest.join(' '));
  const mutant = placed.get(plain);
  return mutant && condition && [mutant, condition];
}

/** The conditional mutant of a name. */
export function conditional(name: string): Mutant | undefined {
  const parts = partsOf(name);
  return parts && under(...parts);
}

/** Conditional mutants, chosen by a seed, and the pairs that were drawn and are void. */
export interface Draw {
  readonly names: readonly string[];
  /** No request can meet the condition where the mutant shows its fault. */
  readonly voids: readonly string[];
}

/** Draws so many conditional mutants of these plain ones. */
export function drawConditional(plainNames: readonly string[], count: number, seed: number): Draw {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const mutants = plainNames.flatMap((name) => placed.get(name) ?? []);
  const [names, voids]: [string[], string[]] = [[], []];
  while (names.length < count && voids.length < 10 * count) {
    const [mutant, condition] = [pick(mutants), random() < 0.7 ? pick(headerConditions) : pick(otherConditions)];
    (possible().has(mutant, condition) ? names : voids).push(`${mutant.name} ${condition.name}`);
  }
  return { names, voids };
}

/** A request that the suite makes, in the plain way. */
interface Asked {
  readonly request: RequestSpec;
  readonly sent: ProxiedRequest;
  readonly operation: Operation | undefined;
  readonly statuses: readonly number[];
}

/** Any request may be limited, or meet a failure, beside what the oracle says of it. */
const anyStatuses = [429, 500, 503];

const choices = ignoredDimensions.flatMap((dimension) => dimension.choices);

/** What may be drawn: the requests of the suite, and a few of each kind asked in every other way. */
class Possible {
  readonly #asked: readonly Asked[];
  readonly #ways: readonly (readonly [choice: Choice, sent: ProxiedRequest])[];

  constructor() {
    const world = placeholderWorld(ownDocument);
    const ofPlan = situationsOf(ownDocument, 1).map(({ request: ask, documented }): Asked => {
      const request = ask(placeholderContext);
      const { operation, statuses } = documented ?? expectedOf(request, world);
      return { request, sent: proxied(request), operation, statuses: [...statuses, ...anyStatuses] };
    });
    const description = { method: 'GET', path: '/openapi.json' };
    this.#asked = [
      ...ofPlan,
      { request: description, sent: proxied(description), operation: undefined, statuses: [200] },
    ];
    const kinds = new Map(this.#asked.map((each) => [`${each.request.method} ${each.statuses.join()}`, each]));
    this.#ways = [...kinds.values()].flatMap((each) =>
      choices.filter((choice) => fits(choice, each)).map((choice) => [choice, asWay(choice, each)] as const),
    );
  }

  /** Whether some request shows the fault of a mutant and meets a condition, as it is or asked in one of the other ways. */
  has(mutant: Mutant, { start, isOfRequest }: Condition): boolean {
    const shows = (sent: ProxiedRequest, { statuses }: Asked) =>
      statuses.some((status) => mutant.shows(sent, status, placeholders));
    const plain = this.#asked.filter((each) => shows(each.sent, each));
    // Any other request can be repeated, or have company.
    if (!isOfRequest) return plain.length === 0 || plain.some(({ sent }) => sent.malformed === undefined);
    const meets = start();
    if (plain.some(({ sent }) => meets(sent, 0))) return true;
    const usable = new Set(this.#ways.filter(([, sent]) => meets(sent, 0)).map(([choice]) => choice));
    return this.#asked.some((each) =>
      [...usable].some((choice) => {
        const sent = fits(choice, each) ? asWay(choice, each) : undefined;
        return sent !== undefined && meets(sent, 0) && shows(sent, each);
      }),
    );
  }
}

let known: Possible | undefined;
const possible = () => (known ??= new Possible());

function fits(choice: Choice, { request, operation }: Asked): boolean {
  return choice.fits?.(request, operation) !== false;
}

function asWay(choice: Choice, { request }: Asked): ProxiedRequest {
  return proxied(choice.apply(request));
}

/** Whether some request can show the fault of a conditional mutant. */
export function canShow(name: string): boolean {
  const parts = partsOf(name);
  return parts !== undefined && possible().has(...parts);
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
  const added: [string, string][] = [
    ...(wire.chunked ? [['Transfer-Encoding', 'chunked'] as [string, string]] : []),
    ...(wire.expectContinue ? [['Expect', wire.expectContinue] as [string, string]] : []),
    ...(wire.connection === 'closing' ? [['Connection', 'close'] as [string, string]] : []),
  ];
  return {
    method,
    path,
    headers: [...headers, ...added],
    body: Buffer.from(content),
    httpVersion: wire.version ?? '1.1',
  };
}
