/** Relations of what is created by PUT, put aside, named by others, and exported. */
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const boolean = { type: 'boolean' };
const status = t.oneOf('pending', 'confirmed');
const desk = t.object({ code: t.text(40), label: t.text(40), archived: boolean, version: t.count });
const newBooking = { desk: t.string, note: t.text(40) };
const booking = t.object({ id: t.count, ...newBooking, status });
const ofStatus = { parameters: [t.inQuery('status', status)] };
const document = describedApi(
  {
    'GET /desks': [
      'listDesks',
      { parameters: [t.inQuery('include_archived', { ...boolean, default: false })], 200: t.list(desk) },
    ],
    'GET /desks/{desk_code}': ['getDesk', { 200: desk }],
    'PUT /desks/{desk_code}': ['putDesk', { sent: t.object({ label: t.text(40) }), 200: desk, 201: desk }],
    'DELETE /desks/{desk_code}': ['archiveDesk', { 204: 'Archived' }],
    'GET /bookings': ['listBookings', { ...ofStatus, 200: t.list(booking) }],
    'POST /bookings': [
      'book',
      {
        sent: { ...t.object(newBooking), example: { desk: 'unknown', note: 'x' } },
        201: booking,
        422: 'There is no such desk',
      },
    ],
    'GET /bookings.csv': [
      'exportBookings',
      { ...ofStatus, 200: { description: 'They', content: { 'text/csv': { schema: t.string } } } },
    ],
    'GET /bookings/{booking_id}': ['getBooking', { 200: booking }],
    'POST /bookings/{booking_id}/confirm': ['confirm', { 200: booking, 409: 'The booking is not pending' }],
  },
  {
    ...{ title: 'Desks', invalid: 400 },
    ids: { booking_id: t.count, desk_code: { ...t.string, pattern: '^[a-z0-9]{2,12}$' } },
  },
);

type Desk = { code: string; label: string; archived: boolean; version: number };
type Booking = { id: number; desk: string; note: string; status: string };

/** How a server does what the mutants do otherwise. */
const right = {
  replaced: 200,
  location: (id: number) => `/bookings/${id}`,
  next: (version: number) => version + 1,
  isListed: (each: Desk, isAll: boolean) => isAll || !each.archived,
  cell: (value: string) => `"${value.replaceAll('"', '""')}"`,
  exported: (each: Booking, wanted: string | null) => wanted === null || each.status === wanted,
};

function behaviour(ways: typeof right): Behaviour<Desk & Booking> {
  return {
    kinds: {
      desks: {
        key: 'code',
        listed: (desks, { query }) =>
          desks.filter((each) => ways.isListed(each, query.get('include_archived') === 'true')),
      },
      bookings: {
        initial: () => ({ status: 'pending' }),
        refused: ({ desk: code }, { find }) => (find('desks', code) ? undefined : 422),
        listed: (bookings, { query }) =>
          bookings.filter((each) => (query.get('status') ?? each.status) === each.status),
      },
    },
    acts: {
      putDesk({ texts: [code], fields, find, create }) {
        const known = find('desks', code);
        if (!known) return [201, create('desks', { ...fields, code, archived: false, version: 1 })];
        return [ways.replaced, Object.assign(known, fields, { version: ways.next(known.version) })];
      },
      archiveDesk({ item }) {
        item.archived = true;
        return 204;
      },
      book({ fields, refusal, create }) {
        const refused = refusal('bookings', fields);
        if (refused !== undefined) return refused;
        const made = create('bookings', fields);
        return [201, made, { Location: ways.location(made.id) }];
      },
      exportBookings({ all, query }) {
        const rows = all('bookings').filter((each) => ways.exported(each, query.get('status')));
        const lines = rows.map((each) => `${each.id},${each.status},${ways.cell(each.note)}`);
        return [200, ['id,status,note', ...lines].join('\r\n')];
      },
      confirm: ({ item }) => (item.status === 'pending' ? Object.assign(item, { status: 'confirmed' }) : 409),
    },
  };
}

testFaults(document, right, behaviour, [
  ['replaces with 201', { replaced: 201 }, ['putDesk.replaced']],
  ['keeps the version of what changes', { next: (version) => version }, ['putDesk.replaced']],
  ['lists what is archived', { isListed: () => true }, ['archiveDesk.removed']],
  ['never lists what is archived', { isListed: ({ archived }) => !archived }, ['archiveDesk.removed']],
  ['sends a Location of nothing', { location: (id) => `/booking/${id}` }, ['book.created']],
  ['exports without quotes', { cell: (value) => value }, ['exportBookings.exported']],
  ['exports all, whatever the filter', { exported: () => true }, ['exportBookings.exported']],
]);
