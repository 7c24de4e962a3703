/** Relations of what hinders an operation, of one at a time, of meters, formulas, secrets, searches of several fields, and orders of what has no value. */
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour, Call } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const depot = { name: t.text(80), time_zone: t.string };
const zone = { ...t.string, default: 'Europe/Berlin', description: 'An IANA time zone.' };
const newVehicle = {
  ...{ vin: { ...t.string, pattern: '^[A-HJ-NPR-Z0-9]{9}$' }, depot_id: t.said(t.string, 'An existing depot.') },
  pin: { ...t.string, pattern: '^[0-9]{4}$', writeOnly: true },
};
const vehicle = t.object({
  ...{ id: t.string, vin: t.string, depot_id: t.string, has_pin: t.readOnly({ type: 'boolean' }) },
  status: t.oneOf('active', 'retired'),
});
const km = { ...t.number(0, 2_000_000), example: 16_250 };
const reading = t.object({ id: t.string, vehicle_id: t.string, km: t.count });
const parts = t.list(t.object({ quantity: t.number(1, 90), cents: t.number(0, 9000) }));
const newJob = {
  ...{ vehicle_id: t.said(t.string, 'An existing vehicle.'), title: t.text(80) },
  ...{ note: t.nullable({ ...t.string, maxLength: 80 }), due_on: t.nullable(t.day), parts: { ...parts, maxItems: 9 } },
};
const job = t.object({
  ...{
    id: t.string,
    vehicle_id: t.string,
    title: t.string,
    note: t.nullable(t.string),
    due_on: t.nullable(t.day),
    parts,
    fee: t.count,
  },
  parts_cents: t.said(t.count, 'The sum of `quantity` × `cents` of all parts.'),
  total_cents: t.said(t.count, '`parts_cents` plus `fee`.'),
  ...{ state: t.oneOf('planned', 'in_progress', 'cancelled'), cancel_reason: t.nullable(t.string) },
});
const exampleParts = [
  { quantity: 2, cents: 450 },
  { quantity: 1, cents: 90 },
];
const example = {
  vehicle_id: 'veh_00000000',
  title: 'Wipers',
  note: 'Both',
  due_on: '2025-07-01',
  parts: exampleParts,
};
const figures = t.object(
  {
    undated: t.said(t.count, 'Jobs without a date.'),
    owed_cents: t.said(t.count, 'The sum of total_cents of all jobs.'),
  },
  ['undated', 'owed_cents'],
);
const search = { description: 'Those whose title or note has this text, without regard to case.' };
const sort = { description: 'Those without a date come last in both directions.' };

const api = describedApi(
  {
    'POST /depots': [
      'addDepot',
      { sent: t.object({ ...depot, time_zone: zone }, ['time_zone']), 201: t.object({ id: t.string, ...depot }) },
    ],
    'GET /depots/{depot_id}': ['getDepot', { 200: t.object({ id: t.string, ...depot }) }],
    'DELETE /depots/{depot_id}': ['removeDepot', { 204: 'Removed', 409: 'The depot still has vehicles' }],
    'GET /vehicles': ['listVehicles', { 200: t.list(vehicle) }],
    'POST /vehicles': [
      'addVehicle',
      {
        sent: {
          ...t.object(newVehicle, ['pin']),
          example: { vin: 'WDB123456', depot_id: 'dep_00000000', pin: '2580' },
        },
        201: vehicle,
      },
    ],
    'GET /vehicles/{vehicle_id}': ['getVehicle', { 200: vehicle }],
    'DELETE /vehicles/{vehicle_id}': [
      'removeVehicle',
      { description: 'Removes the vehicle with all of its jobs.', 204: 'Removed', 409: 'The vehicle has open jobs' },
    ],
    'POST /vehicles/{vehicle_id}/retire': ['retireVehicle', { 200: vehicle, 409: 'The vehicle has open jobs' }],
    'GET /vehicles/{vehicle_id}/readings': ['listReadings', { 200: t.list(reading) }],
    'POST /vehicles/{vehicle_id}/readings': [
      'addReading',
      { sent: t.object({ km }), 201: reading, 409: 'The odometer would run backwards' },
    ],
    'POST /readings/bulk': [
      'addReadings',
      {
        description: 'Adds several readings, all or none.',
        sent: t.object({ readings: t.list(t.object({ vehicle_id: t.string, km }), { minItems: 1, maxItems: 50 }) }),
        201: t.list(reading),
        409: 'An odometer would run backwards',
        422: 'Invalid, or there is no such vehicle',
      },
    ],
    'GET /jobs': [
      'listJobs',
      {
        parameters: [
          t.inQuery('q', { ...t.string, minLength: 1 }, search),
          t.inQuery('sort', t.oneOf('due_on', '-due_on'), sort),
        ],
        200: t.list(job),
      },
    ],
    'POST /jobs': [
      'addJob',
      {
        sent: { ...t.object(newJob, ['note', 'due_on']), example },
        201: job,
        422: 'Invalid, or there is no such vehicle',
      },
    ],
    'GET /jobs/{job_id}': ['getJob', { 200: job }],
    'POST /jobs/{job_id}/start': [
      'startJob',
      { 200: job, 409: 'The job is not planned, or another job of the vehicle is in progress' },
    ],
    'POST /jobs/{job_id}/cancel': [
      'cancelJob',
      { sent: t.object({ reason: t.text(80) }), 200: job, 409: 'The job is cancelled' },
    ],
    'GET /summary': ['getSummary', { 200: t.partial({ jobs: figures }) }],
  },
  {
    title: 'A fleet',
    ids: { depot_id: t.identifier('dep'), vehicle_id: t.identifier('veh'), job_id: t.identifier('job') },
  },
);

type Part = { quantity: number; cents: number };
type Job = { title: string; note: string | null; due_on: string | null; parts: Part[]; state: string };
type Reading = { id: string; vehicle_id: string; km: number };
type Fields = Job & Reading & { time_zone: string; depot_id: string; pin?: string; reason: string; readings: Fields[] };

const isOpen = ({ state }: Job) => state !== 'cancelled';

/** How a server does what the mutants do otherwise. */
const right = {
  isUsed: (depot: string, vehicle: Fields) => vehicle.depot_id === depot,
  mayRetire: (open: number): boolean => open === 0,
  mayStart: (others: number): boolean => others === 0,
  keptJobs: (_ofVehicle: Fields[]): Fields[] => [],
  taken: (reason: string): string | null => reason,
  sum: (parts: Part[]) => parts.reduce((total, { quantity, cents }) => total + quantity * cents, 0),
  total: (parts: number, fee: number) => parts + fee,
  searched: ({ title, note }: Fields) => `${title} ${note}`,
  rank: (due: string | null, sign: number) => due ?? (sign > 0 ? '9999' : ''),
  addsSome: false,
  isOwed: (_job: Fields) => true,
  shownInList: ({ pin: _pin, ...vehicle }: Fields & { has_pin: boolean }): object => vehicle,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const has = ({ pin, ...vehicle }: Fields) => ({
    ...vehicle,
    ...(pin !== undefined && { pin }),
    has_pin: pin !== undefined,
  });
  const jobsOf = ({ id }: Fields, { all }: Call<Fields>) => all('jobs').filter((each) => each.vehicle_id === id);
  const runsOn = ({ vehicle_id: of, km: now }: Fields, all: Fields[]) =>
    all.every((each) => each.vehicle_id !== of || each.km < now);
  const totalOf = ({ parts: all }: Job) => ways.total(ways.sum(all), 500);

  return {
    kinds: {
      depots: { refused: ({ time_zone: name }) => (/^[A-Z]\w+\/\w+$/.test(name) ? undefined : 422) },
      vehicles: {
        initial: () => ({ status: 'active' }),
        refused: ({ depot_id: of }, { find }) => (find('depots', of) ? undefined : 422),
        shown: (each, { operation }) =>
          operation.operationId === 'listVehicles' ? ways.shownInList(has(each)) : right.shownInList(has(each)),
      },
      readings: { refused: (each, { all }) => (runsOn(each, all('readings')) ? undefined : 409) },
      jobs: {
        initial: () => ({ note: null, due_on: null, state: 'planned', cancel_reason: null }),
        refused: ({ vehicle_id: of }, { find }) => (find('vehicles', of) ? undefined : 422),
        shown: (each) => ({ ...each, fee: 500, parts_cents: ways.sum(each.parts), total_cents: totalOf(each) }),
        listed(jobs, { query }) {
          const [asked, order] = [query.get('q')?.toLowerCase() ?? '', query.get('sort')];
          const found = jobs.filter((each) => ways.searched(each).toLowerCase().includes(asked));
          const sign = order?.startsWith('-') === true ? -1 : 1;
          const rankOf = (each: Job) => ways.rank(each.due_on, sign);
          const sorted = () => found.toSorted((one, other) => sign * rankOf(one).localeCompare(rankOf(other), 'en'));
          return order === null ? found : sorted();
        },
      },
    },
    acts: {
      removeDepot: ({ item, all, usual }) =>
        all('vehicles').some((each) => ways.isUsed(item.id, each)) ? 409 : usual(),
      removeVehicle(call) {
        const own = jobsOf(call.item, call);
        if (own.some(isOpen)) return 409;
        for (const each of own) if (!ways.keptJobs(own).includes(each)) call.remove(each);
        return call.usual();
      },
      retireVehicle(call) {
        const open = jobsOf(call.item, call).filter(isOpen).length;
        return ways.mayRetire(open) ? Object.assign(call.item, { status: 'retired' }) : 409;
      },
      addReading({ item, sent, refusal, create }) {
        const given = { vehicle_id: item.id, km: sent.km };
        return refusal('readings', given) ?? create('readings', given, item);
      },
      addReadings({ sent: { readings }, find, all, create, remove }) {
        const added: Fields[] = [];
        for (const each of readings) {
          const of = find('vehicles', each.vehicle_id);
          if (!of || !runsOn(each, all('readings'))) {
            if (!ways.addsSome) added.forEach(remove);
            return of ? 409 : 422;
          }
          added.push(create('readings', each, of));
        }
        return added;
      },
      startJob({ item, all }) {
        const others = all('jobs').filter(
          (each) => each.vehicle_id === item.vehicle_id && each.state === 'in_progress',
        );
        if (item.state !== 'planned' || !ways.mayStart(others.length)) return 409;
        return Object.assign(item, { state: 'in_progress' });
      },
      cancelJob({ item, sent: { reason } }) {
        if (!isOpen(item)) return 409;
        return Object.assign(item, { state: 'cancelled', cancel_reason: ways.taken(reason) });
      },
      getSummary({ all }) {
        const owed = all('jobs')
          .filter((each) => ways.isOwed(each))
          .map(totalOf);
        const undated = all('jobs').filter((each) => each.due_on === null).length;
        return [200, { jobs: { undated, owed_cents: owed.reduce((total, cents) => total + cents, 0) } }];
      },
    },
  };
}

testFaults(api, right, behaviour, [
  ['removes a depot that has vehicles', { isUsed: () => false }, ['removeDepot.removed']],
  ['retires a vehicle that has open jobs', { mayRetire: () => true }, ['retireVehicle.acted']],
  ['starts two jobs of a vehicle', { mayStart: () => true }, ['startJob.acted']],
  ['keeps the jobs of a vehicle that is gone', { keptJobs: (all) => all }, ['removeVehicle.removed']],
  ['loses a reason', { taken: () => null }, ['cancelJob.acted']],
  ['adds up one part alone', { sum: (parts) => right.sum(parts.slice(0, 1)) }, ['addJob.created']],
  ['leaves the fee out', { total: (parts) => parts }, ['addJob.created']],
  ['searches titles alone', { searched: ({ title }) => title }, ['listJobs.filtered.q']],
  ['has those without a date first', { rank: (due) => due ?? '' }, ['listJobs.sorted']],
  ['owes nothing for a cancelled job', { isOwed: isOpen }, ['getSummary.aggregated']],
  ['adds some of several', { addsSome: true }, ['addReadings.several']],
  ['lists secrets', { shownInList: (vehicle) => vehicle }, ['addVehicle.created']],
]);
