/** Mutants under a condition: the same fault, seen only by a request that is asked in one way. */
import { headerGroups } from '../dimensions/headers.ts';
import { randomOf } from '../plan/rows.ts';
import { harmlessVariants } from './harmless.ts';
import { mutantsByKind } from './list/index.ts';
import type { Credentials } from '../run/model.ts';
import type { Mutant, Predicate, ProxiedRequest } from './mutant.ts';
import { body, header, headerValues, query } from './requests.ts';

/** When a conditional mutant shows its fault. */
interface Condition {
  readonly name: string;
  /** Called for each request, before it is forwarded. @param inFlight how many others are in flight */
  readonly start: () => (request: ProxiedRequest, inFlight: number) => boolean;
}

const over = (name: string, start: Condition['start']): Condition => ({ name, start });
const on = (name: string, matches: (request: ProxiedRequest) => boolean) => over(name, () => matches);
const counted = (name: string, matches: (count: number) => boolean) =>
  over(name, () => {
    let count = 0;
    return () => matches((count += 1));
  });

/** A header, whatever its value, and each of its values. */
const headerConditions = headerGroups
  .flatMap(({ anyApi = [], ownApi = [] }) => [...anyApi, ...ownApi])
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

const anyOf = (matches: Predicate) => (request: ProxiedRequest) => matches(request, {} as Required<Credentials>);

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

/** The conditional mutant of a name. */
export function conditional(name: string): Mutant | undefined {
  const [plain = '', ...rest] = name.split(' ');
  const condition = [...headerConditions, ...otherConditions].find((each) => each.name === rest.join(' '));
  const mutant = placed.get(plain);
  return mutant && condition && under(mutant, condition);
}

/** The names of so many conditional mutants of these plain ones, chosen by a seed. */
export function drawConditional(plainNames: readonly string[], count: number, seed: number): string[] {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const mutants = plainNames.flatMap((name) => placed.get(name) ?? []);
  return Array.from({ length: count }, () => {
    const [mutant, condition] = [pick(mutants), pick(random() < 0.7 ? headerConditions : otherConditions)];
    return `${mutant.name} ${condition.name}`;
  });
}
