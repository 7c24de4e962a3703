/** Relations of meters, of secrets in lists, of searches of several fields, and of orders of what has no value. */
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const fields = { title: t.text(80), note: t.nullable({ ...t.string, maxLength: 80 }), due_on: t.nullable(t.day) };
const newVehicle = t.object({ ...fields, pin: { ...t.string, pattern: '^[0-9]{4}$', writeOnly: true } }, [
  ...(['note', 'due_on', 'pin'] as const),
]);
const example = { title: 'Van', note: 'Blue', due_on: '2025-07-01', pin: '2580' };
const vehicle = t.object({ id: t.string, ...fields });
const km = { ...t.number(0, 2_000_000), example: 16_250 };
const reading = t.object({ id: t.string, vehicle_id: t.string, km: t.count });
const search = { description: 'Those whose title or note has this text, without regard to case.' };
const sort = { description: 'Those without a date come last in both directions.' };

const api = describedApi(
  {
    'GET /vehicles': [
      'listVehicles',
      {
        parameters: [
          t.inQuery('q', { ...t.string, minLength: 1 }, search),
          t.inQuery('sort', t.oneOf('due_on', '-due_on'), sort),
        ],
        200: t.list(vehicle),
      },
    ],
    'POST /vehicles': ['addVehicle', { sent: { ...newVehicle, example }, 201: vehicle }],
    'GET /vehicles/{vehicle_id}': ['getVehicle', { 200: vehicle }],
    'GET /vehicles/{vehicle_id}/readings': ['listReadings', { 200: t.list(reading) }],
    'POST /vehicles/{vehicle_id}/readings': [
      'addReading',
      { sent: t.object({ km }), 201: reading, 409: 'The odometer would run backwards' },
    ],
    'POST /readings/bulk': [
      'addReadings',
      {
        sent: t.object({ readings: t.list(t.object({ vehicle_id: t.string, km }), { minItems: 1, maxItems: 50 }) }),
        201: t.list(reading),
        409: 'An odometer would run backwards',
        422: 'Invalid, or there is no such vehicle',
      },
    ],
  },
  { title: 'A fleet', ids: { vehicle_id: t.identifier('veh') } },
);

type Vehicle = { title: string; note: string | null; due_on: string | null; pin?: string };
type Reading = { id: string; vehicle_id: string; km: number };
type Fields = Vehicle & Reading & { readings: Fields[] };

/** How a server does what the mutants do otherwise. */
const right = {
  added: (readings: Fields[]) => readings,
  searched: ({ title, note }: Fields) => `${title} ${note}`,
  rank: (due: string | null, sign: number) => due ?? (sign > 0 ? '9999' : ''),
  shownInList: ({ pin: _pin, ...vehicle }: Fields): object => vehicle,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const runsOn = ({ vehicle_id: of, km: now }: Fields, all: Fields[]) =>
    all.every((each) => each.vehicle_id !== of || each.km < now);

  return {
    kinds: {
      vehicles: {
        initial: () => ({ note: null, due_on: null }),
        shown: (each, { operation }) => (operation.operationId === 'listVehicles' ? ways : right).shownInList(each),
        listed(vehicles, { query }) {
          const [asked, order] = [query.get('q')?.toLowerCase() ?? '', query.get('sort')];
          const found = vehicles.filter((each) => ways.searched(each).toLowerCase().includes(asked));
          const sign = order?.startsWith('-') === true ? -1 : 1;
          const rankOf = (each: Vehicle) => ways.rank(each.due_on, sign);
          const sorted = () => found.toSorted((one, other) => sign * rankOf(one).localeCompare(rankOf(other), 'en'));
          return order === null ? found : sorted();
        },
      },
      readings: { refused: (each, { all }) => (runsOn(each, all('readings')) ? undefined : 409) },
    },
    acts: {
      addReading({ item, sent, refusal, create }) {
        const given = { vehicle_id: item.id, km: sent.km };
        return refusal('readings', given) ?? create('readings', given, item);
      },
      addReadings({ sent: { readings }, find, refusal, create, remove }) {
        const added: Fields[] = [];
        for (const each of ways.added(readings)) {
          const of = find('vehicles', each.vehicle_id);
          const refused = of ? refusal('readings', each) : 422;
          if (!of || refused !== undefined) {
            added.forEach(remove);
            return refused ?? 422;
          }
          added.push(create('readings', each, of));
        }
        return added;
      },
    },
  };
}

testFaults(api, right, behaviour, [
  ['adds one of several', { added: (readings) => readings.slice(0, 1) }, ['addReadings.several']],
  ['searches titles alone', { searched: ({ title }) => title }, ['listVehicles.filtered.q']],
  ['has those without a date first', { rank: (due) => due ?? '' }, ['listVehicles.sorted']],
  ['lists secrets', { shownInList: (vehicle) => vehicle }, ['addVehicle.created']],
]);
