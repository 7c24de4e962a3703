/** Relations of organisations and of who may only read: searches, bounds, cursors, and what is imported into several items at once. */
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const scheme = schemeEntry('token');
const secrets = {
  [scheme]: 'one-writer',
  [entryOf('other', scheme)]: 'two-writer',
  [entryOf('lesser', scheme)]: 'one-reader',
};

const uuid = { ...t.string, format: 'uuid' };
const id = t.readOnly(uuid);
const van = t.object({ id, plate: t.text(40) }, ['id']);
const trip = t.object({ id, start: t.time }, ['id']);
const litres = t.number(1, 900, 'number');
const fuel = t.object({ id, litres }, ['id']);
const next = t.nullable({ ...t.string, description: 'Null on the last page.' });
const [reads, writes] = ['vans:read', 'vans:write'].map((scope) => ({ security: [{ token: [scope] }], 401: 'Who?' }));
const changes = { ...writes, 403: 'May not' };

const document = describedApi(
  {
    'GET /vans': [
      'listVans',
      {
        ...{ ...reads, 200: t.object({ items: t.list(van), next_cursor: next }, ['next_cursor']) },
        parameters: [t.inQuery('limit', t.number(1, 50)), t.inQuery('cursor', { ...t.text(40), pattern: '^\\d+$' })],
      },
    ],
    'POST /vans': ['addVan', { ...changes, sent: van, 201: van }],
    'GET /vans/{van_id}': ['getVan', { ...reads, 200: van }],
    'GET /trips': [
      'listTrips',
      {
        ...{ ...reads, 200: t.list(trip), '4XX': 'Refused' },
        parameters: [t.inQuery('to', t.time, { description: 'Only trips whose `start` is before this time.' })],
      },
    ],
    'POST /trips': ['planTrip', { ...changes, sent: trip, 201: trip }],
    'GET /trips/{trip_id}': ['getTrip', { ...reads, 200: trip }],
    'GET /vans/{van_id}/fuel': ['listFuel', { ...reads, 200: t.list(fuel) }],
    'POST /vans/{van_id}/fuel': ['addFuel', { ...changes, sent: fuel, 201: fuel }],
    'GET /vans/{van_id}/fuel/{fuel_id}': ['getFuel', { ...reads, 200: fuel }],
    'POST /fuel/bulk': [
      'importFuel',
      {
        ...{ ...changes, 200: t.list({ type: 'object' }) },
        sent: t.object({ entries: t.list(t.object({ van_id: uuid, litres }), { minItems: 1 }) }),
      },
    ],
    'GET /search': [
      'search',
      {
        ...{ ...reads, 200: t.list(t.partial({ label: t.text(40), id })) },
        parameters: [t.inQuery('q', t.text(40), { required: true })],
      },
    ],
  },
  {
    ...{ title: 'Vans', invalid: 400, securitySchemes: { token: t.bearer } },
    ids: { van_id: id, trip_id: id, fuel_id: id },
  },
);

type Fields = { id: string; start: string; plate: string; van_id: string; litres: number; entries: Fields[] };

/** How a server does what the mutants do otherwise. */
const right = {
  isFound: (isOwn: boolean) => isOwn,
  isBefore: (start: string, to: string) => Date.parse(start) < Date.parse(to),
  hasNext: (end: number, all: number) => end < all,
  mayRead: (_path: string, _isReader: boolean) => true,
  isOwn: (isOwn: boolean) => isOwn,
  stores: (_all: readonly boolean[]) => true,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    caller({ authorization = '' }, { path, method }) {
      const [, of, kind] = /^Bearer (one|two)-(writer|reader)$/.exec(authorization) ?? [];
      if (of === undefined) return 401;
      const isReader = kind === 'reader';
      return (method === 'get' ? ways.mayRead(path.slice(1), isReader) : !isReader) ? of : 403;
    },
    kinds: {
      vans: {
        listed(vans, { query, shown }) {
          const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit') ?? 20)];
          const cursor = ways.hasNext(from + limit, vans.length) ? String(from + limit) : null;
          return [200, { items: vans.slice(from, from + limit).map(shown), next_cursor: cursor }];
        },
      },
      trips: {
        listed(trips, { query }) {
          const to = query.get('to');
          return to === null ? trips : trips.filter((each) => ways.isBefore(each.start, to));
        },
      },
      fuel: {},
    },
    acts: {
      importFuel({ sent: { entries }, all, ofAnybody, create, shown }) {
        const isKnown = (each: Fields) => ways.isOwn(all('vans').includes(each));
        const vans = entries.map((entry) =>
          ofAnybody('vans').find((each) => each.id === entry.van_id && isKnown(each)),
        );
        const stores = ways.stores(vans.map((each) => each !== undefined));
        const resultOf = ({ litres: amount }: Fields, van?: Fields) => {
          if (!van) return { code: 'unknown_van' };
          return {
            entry: stores
              ? shown(create('fuel', { litres: amount }, van))
              : { id: crypto.randomUUID(), litres: amount },
          };
        };
        return [200, entries.map((entry, at) => resultOf(entry, vans[at]))];
      },
      search({ query, all, ofAnybody }) {
        const isFound = (each: Fields) =>
          ways.isFound(all('vans').includes(each)) && each.plate.includes(query.get('q') ?? '');
        return [
          200,
          ofAnybody('vans')
            .filter(isFound)
            .map((each) => ({ label: each.plate, id: each.id })),
        ];
      },
    },
  };
}

testFaults(
  document,
  right,
  behaviour,
  [
    ['searches in all organisations', { isFound: () => true }, ['search.other-tenant']],
    [
      'lists a trip that starts just then',
      { isBefore: (start, to) => Date.parse(start) <= Date.parse(to) },
      ['listTrips.filtered.to'],
    ],
    ['has a cursor on a full last page', { hasNext: (end, all) => end <= all }, ['listVans.paged']],
    [
      'refuses a reader',
      { mayRead: (path, isReader) => path !== 'search' && !(path === 'trips' && isReader) },
      ['listTrips.reader'],
    ],
    ['imports into vans of others', { isOwn: () => true }, ['importFuel.several']],
    ['imports all or nothing', { stores: (all) => !all.includes(false) }, ['importFuel.several']],
  ],
  secrets,
);
