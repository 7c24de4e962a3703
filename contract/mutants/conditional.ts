/** Mutants under a condition: the same fault, seen only by a request that is asked in one way. */
import { headerGroups } from '../dimensions/headers.ts';
import { randomOf } from '../plan/rows.ts';
import { mutantsByKind } from './list/index.ts';
import type { Mutant, ProxiedRequest } from './mutant.ts';
import { headerValues } from './requests.ts';

/** When a conditional mutant shows its fault. */
interface Condition {
  readonly name: string;
  /** Called for each request, before it is forwarded. @param inFlight how many others are in flight */
  readonly start: () => (request: ProxiedRequest, inFlight: number) => boolean;
}

const on = (name: string, matches: (request: ProxiedRequest, inFlight: number) => boolean): Condition => ({
  name,
  start: () => matches,
});

const counted = (name: string, matches: (count: number) => boolean): Condition => ({
  name,
  start: () => {
    let count = 0;
    return () => matches((count += 1));
  },
});

/** A header, whatever its value, and each of its values. */
const headerConditions: Condition[] = headerGroups
  .flatMap(({ anyApi = [], ownApi = [] }) => [...anyApi, ...ownApi])
  .flatMap(([names, ...values]) =>
    names
      .split(' ')
      .flatMap((header) => [
        on(`with ${header}`, (request) => headerValues(request, header.toLowerCase()).length > 0),
        ...values.map((value) =>
          on(`with ${header}: ${value.slice(0, 40)}`, (request) =>
            headerValues(request, header.toLowerCase()).some((sent) => value.split('\n').includes(sent.trim())),
          ),
        ),
      ]),
  );

const otherConditions: Condition[] = [
  on('with a query', ({ path }) => path.includes('?')),
  on('with a long query', ({ path }) => (path.split('?')[1] ?? '').length > 1000),
  on('with a chunked body', (request) => headerValues(request, 'transfer-encoding').length > 0),
  on('with Expect', (request) => headerValues(request, 'expect').length > 0),
  on('over HTTP/1.0', ({ httpVersion }) => httpVersion === '1.0'),
  on('with Connection: close', (request) => /close/i.test(headerValues(request, 'connection').join())),
  on('with header names in lower case', ({ headers }) =>
    headers.every(([name]) => name === name.toLowerCase() || name === 'Host'),
  ),
  on('with header names in capitals', ({ headers }) =>
    headers.some(([name]) => name.length > 4 && name === name.toUpperCase()),
  ),
  on('with more than 30 headers', ({ headers }) => headers.length > 30),
  on('with a body in other spelling', ({ body }) => /^\s|\s$|\\u|\n/.test(body.toString())),
  on('with others in flight', (_request, inFlight) => inFlight > 1),
  on('with 5 others in flight', (_request, inFlight) => inFlight > 5),
  counted('from the 100th request on', (count) => count > 100),
  counted('from the 600th request on', (count) => count > 600),
  counted('each 7th request', (count) => count % 7 === 0),
  {
    name: 'from the 3rd request of a connection on',
    start: () => {
      const seen = new WeakMap<object, number>();
      return ({ connection }) => {
        const count = connection ? (seen.get(connection) ?? 0) + 1 : 0;
        if (connection) seen.set(connection, count);
        return count > 2;
      };
    },
  },
  {
    name: 'on the same request again',
    start: () => {
      let last = '';
      return ({ method, path, body }) => {
        const key = `${method} ${path} ${body.toString('latin1')}`;
        const isSame = key === last;
        last = key;
        return isSame;
      };
    },
  },
];

const conditions = [...headerConditions, ...otherConditions];

/** The mutant, which behaves as the server behind it unless the condition holds. */
function under(mutant: Mutant, { name, start }: Condition): Mutant {
  return {
    ...mutant,
    name: `${mutant.name} ${name}`,
    breaks: `${mutant.breaks}, ${name}`,
    start: (server) => {
      const [broken, holds] = [mutant.start(server), start()];
      let inFlight = 0;
      return async (request) => {
        inFlight += 1;
        try {
          return await (holds(request, inFlight - 1) ? broken(request) : server.forward(request));
        } finally {
          inFlight -= 1;
        }
      };
    },
  };
}

/** Conditional mutants, chosen by a seed. */
export function conditionalMutants(count: number, seed: number): Mutant[] {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const mutants = Object.values(mutantsByKind)
    .flat()
    .filter(({ credentialForm }) => !credentialForm);
  return Array.from({ length: count }, () =>
    under(pick(mutants), random() < 0.7 ? pick(headerConditions) : pick(otherConditions)),
  );
}

/** The conditional mutant of a name, which says what it is made of. */
export function conditionalMutant(name: string): Mutant | undefined {
  const [plain = '', ...rest] = name.split(' ');
  const mutant = Object.values(mutantsByKind)
    .flat()
    .find((each) => each.name === plain);
  const condition = conditions.find((each) => each.name === rest.join(' '));
  return mutant && condition && under(mutant, condition);
}
