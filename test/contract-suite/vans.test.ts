/** Relations of what a document states in words: bounds, order, products, uniqueness in an organisation, and what goes with an item. */
import { test } from '@jest/globals';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { eachRun } from '../support/contract.ts';
import { expectFailed, json, operation, type Reply, serverOf, ofValidation } from '../support/planted-faults.ts';
import { apiOf } from '../unit/document/fixture.ts';

const run = eachRun();
const scheme = schemeEntry('token');
const secrets = {
  [scheme]: 'one-writer',
  [entryOf('other', scheme)]: 'two-writer',
  [entryOf('lesser', scheme)]: 'one-reader',
};

const text = { type: 'string', minLength: 1, maxLength: 40 };
const time = { type: 'string', format: 'date-time' };
const readOnly = (schema: object) => ({ ...schema, readOnly: true });
const id = readOnly({ type: 'string', format: 'uuid' });
const objectOf = (properties: object, required: string[]) => ({ type: 'object', required, properties });
const van = objectOf({ id, plate: { ...text, description: 'Unique in the organisation.' } }, ['plate']);
const trip = objectOf(
  {
    ...{ id, van_id: { type: 'string', format: 'uuid' }, start: time },
    end: { ...time, description: 'Must be after `start`.' },
    ...{
      km: { type: 'number', minimum: 1, maximum: 900 },
      rate: { type: 'number', minimum: 0.01, maximum: 9, multipleOf: 0.01 },
    },
    cost: readOnly({ type: 'number', description: '`km` × `rate`, rounded to whole cents.' }),
  },
  ['van_id', 'start', 'end', 'km', 'rate'],
);
const example = {
  ...{ van_id: '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10', start: '2026-05-04T08:00:00Z', end: '2026-05-04T12:30:00Z' },
  ...{ km: 10, rate: 0.5 },
};
const inQuery = (name: string, schema: object, more = {}) => ({ name, in: 'query', schema, ...more });
const next = { type: 'string', nullable: true, description: 'Null on the last page.' };
const page = objectOf({ items: { type: 'array', items: van }, next_cursor: next }, ['items']);
const of = (name: string, responses: Record<string, object | string>, sent?: object, more: object = {}) => {
  const writes = sent !== undefined || '204' in responses;
  const security = [{ token: [writes ? 'vans:write' : 'vans:read'] }];
  return operation(name, { 401: 'Who?', ...(writes && { 403: 'May not' }), ...responses }, sent, { security, ...more });
};
const litres = { type: 'number', minimum: 1, maximum: 900 };
const fuel = objectOf({ id, litres }, ['litres']);
const ofVan = objectOf({ van_id: { type: 'string', format: 'uuid' }, litres }, ['van_id', 'litres']);
const several = objectOf({ entries: { type: 'array', items: ofVan, minItems: 1 } }, ['entries']);
const inPath = (name: string) => ({ parameters: [{ name, in: 'path', required: true, schema: id }] });
const document = apiOf(
  {
    '/vans': {
      get: of('listVans', { 200: json(page) }, undefined, {
        parameters: [inQuery('limit', { type: 'integer', minimum: 1, maximum: 50 }), inQuery('cursor', text)],
      }),
      post: of('addVan', { 201: json(van), 409: 'The plate is taken' }, van),
    },
    '/vans/{van_id}': {
      ...inPath('van_id'),
      get: of('getVan', { 200: json(van) }),
      delete: of('removeVan', { 204: 'Removed' }, undefined, { description: 'Removes the van with all of its trips.' }),
    },
    '/trips': {
      get: of('listTrips', { 200: json({ type: 'array', items: trip }), '4XX': 'Refused' }, undefined, {
        parameters: [inQuery('to', time, { description: 'Only trips whose `start` is before this time.' })],
      }),
      post: of('planTrip', { 201: json(trip) }, { ...trip, example }),
    },
    '/trips/{trip_id}': { ...inPath('trip_id'), get: of('getTrip', { 200: json(trip) }) },
    '/vans/{van_id}/fuel': {
      ...inPath('van_id'),
      get: of('listFuel', { 200: json({ type: 'array', items: fuel }) }),
      post: of('addFuel', { 201: json(fuel) }, fuel),
    },
    '/vans/{van_id}/fuel/{fuel_id}': {
      parameters: ['van_id', 'fuel_id'].flatMap((name) => inPath(name).parameters),
      get: of('getFuel', { 200: json(fuel) }),
    },
    '/fuel/bulk': { post: of('importFuel', { 200: json({ type: 'array', items: { type: 'object' } }) }, several) },
    '/search': {
      get: of('search', { 200: json({ type: 'array', items: objectOf({ label: text, id }, []) }) }, undefined, {
        parameters: [inQuery('q', text, { required: true })],
      }),
    },
  },
  { title: 'Vans', components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } },
);
type Van = Readonly<{ id: string; of: string; plate: string }>;
type Fuel = Readonly<{ id: string; of: string; van_id: string; litres: number }>;
type Trip = typeof example & Readonly<{ id: string; of: string; cost: number }>;

function isTime(value: string): boolean {
  const [day = ''] = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$)/.exec(value) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(Date.parse(value)) || Number.isNaN(midnight)) return false;
  return new Date(midnight).toISOString().startsWith(day);
}

/** How a server does what the mutants do otherwise. */
const right = {
  isTaken: (each: Van, of: string, plate: string) => each.of === of && each.plate === plate,
  isFound: (each: Van, of: string) => each.of === of,
  isOrdered: (start: string, end: string) => Date.parse(start) < Date.parse(end),
  cost: (km: number, rate: number) => Math.round(km * rate * 100) / 100,
  isBefore: (start: string, to: string) => Date.parse(start) < Date.parse(to),
  hasNext: (end: number, all: number) => end < all,
  mayRead: (_path: string, _isReader: boolean) => true,
  goesWith: (each: Trip, gone: string) => each.van_id === gone,
  isOwn: (each: Van, of: string) => each.of === of,
  stores: (_all: readonly boolean[]) => true,
};

function vanServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  let [vans, trips]: [Van[], Trip[]] = [[], []];
  const fuels: Fuel[] = [];
  const shown = ({ of: _, ...each }: Van | Trip) => each;
  const shownFuel = ({ id: fuelId, litres: amount }: Fuel) => ({ id: fuelId, litres: amount });
  return serverOf((method, { pathname, searchParams }, sent, { authorization = '' }): Reply => {
    const [, of = '', right_] = /^Bearer (one|two)-(writer|reader)$/.exec(authorization) ?? [];
    const [, kind = '', key = '', part = '', place = ''] = pathname.split('/');
    if (right_ === undefined) return [401];
    if (method === 'GET' ? !ways.mayRead(kind, right_ === 'reader') : right_ === 'reader') return [403];
    const [own, known] = [
      vans.filter((each) => each.of === of),
      (each: Van | Trip) => each.of === of && each.id === key,
    ];
    const isAmount = (value: unknown) => typeof value === 'number' && value >= 1 && value <= 900;
    const ofKey = own.some(known) ? fuels.filter((each) => each.of === of && each.van_id === key) : [];
    switch (`${method} ${kind}${key === '' ? '' : '/'}${part}${place === '' ? '' : '/'}`) {
      case 'GET vans': {
        const [from, limit] = [Number(searchParams.get('cursor') ?? 0), Number(searchParams.get('limit') ?? 20)];
        if (!(limit >= 1 && limit <= 50) || Number.isNaN(from)) return [400];
        const cursor = ways.hasNext(from + limit, own.length) ? String(from + limit) : null;
        return [200, { items: own.slice(from, from + limit).map(shown), next_cursor: cursor }];
      }
      case 'POST vans': {
        const { plate } = sent;
        if (typeof plate !== 'string' || !/^.{1,40}$/su.test(plate)) return [400];
        if (vans.some((each) => ways.isTaken(each, of, plate))) return [409];
        vans.push({ id: crypto.randomUUID(), of, plate });
        return [201, shown(vans.at(-1) as Van)];
      }
      case 'GET vans/':
        return vans.some(known) ? [200, shown(vans.find(known) as Van)] : [404];
      case 'DELETE vans/':
        if (!vans.some(known)) return [404];
        [vans, trips] = [vans.filter((each) => !known(each)), trips.filter((each) => !ways.goesWith(each, key))];
        return [204];
      case 'GET trips': {
        const to = searchParams.get('to');
        if (to !== null && Number.isNaN(Date.parse(to))) return [400];
        return [
          200,
          trips.filter((each) => each.of === of && (to === null || ways.isBefore(each.start, to))).map(shown),
        ];
      }
      case 'POST trips': {
        const { van_id: vanId, start, end, km, rate } = sent as typeof example;
        const areTimes = isTime(start) && isTime(end);
        const areNumbers = km >= 1 && km <= 900 && rate >= 0.01 && rate <= 9 && Number(rate.toFixed(2)) === rate;
        if (!areTimes || !areNumbers || !own.some((each) => each.id === vanId) || !ways.isOrdered(start, end))
          return [400];
        trips.push({ id: crypto.randomUUID(), of, van_id: vanId, start, end, km, rate, cost: ways.cost(km, rate) });
        return [201, shown(trips.at(-1) as Trip)];
      }
      case 'GET trips/':
        return trips.some(known) ? [200, shown(trips.find(known) as Trip)] : [404];
      case 'GET vans/fuel':
        return own.some(known) ? [200, ofKey.map(shownFuel)] : [404];
      case 'GET vans/fuel/':
        return ofKey.some((each) => each.id === place)
          ? [200, ofKey.filter((each) => each.id === place).map(shownFuel)[0]]
          : [404];
      case 'POST vans/fuel': {
        if (!own.some(known)) return [404];
        if (!isAmount(sent['litres'])) return [400];
        fuels.push({ id: crypto.randomUUID(), of, van_id: key, litres: Number(sent['litres']) });
        return [201, shownFuel(fuels.at(-1) as Fuel)];
      }
      case 'POST fuel/': {
        const entries = sent['entries'] as Omit<Fuel, 'id' | 'of'>[] | undefined;
        if (!Array.isArray(entries) || entries.length === 0 || !entries.every((each) => isAmount(each.litres)))
          return [400];
        const vansOf = entries.map((each) => vans.find((van_) => van_.id === each.van_id && ways.isOwn(van_, of)));
        const made = entries.map((each): Fuel => ({ ...each, id: crypto.randomUUID(), of }));
        if (ways.stores(vansOf.map((each) => each !== undefined)))
          fuels.push(...made.filter((_each, at) => vansOf[at]));
        return [200, made.map((each, at) => (vansOf[at] ? { entry: shownFuel(each) } : { code: 'unknown_van' }))];
      }
      case 'GET search': {
        const q = searchParams.get('q') ?? '';
        const found = vans.filter((each) => ways.isFound(each, of) && each.plate.includes(q));
        return q === '' ? [400] : [200, found.map((each) => ({ label: each.plate, id: each.id }))];
      }
      default:
        return [404];
    }
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  [
    'refuses a plate of another organisation',
    { isTaken: (each, _of, plate) => each.plate === plate },
    ['addVan.conflict'],
  ],
  ['searches in all organisations', { isFound: () => true }, ['search.other-tenant']],
  ['plans trips that end before they start', { isOrdered: () => true }, ['planTrip.ordered']],
  ['cuts off cents', { cost: (km, rate) => Math.floor(km * rate * 100 + 1e-9) / 100 }, ['planTrip.edges']],
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
  ['keeps the trips of a van that is gone', { goesWith: () => false }, ['removeVan.removed']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(vanServer(wrong)), document, failed, secrets, ofValidation);
});
