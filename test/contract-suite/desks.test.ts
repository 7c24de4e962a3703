/** Relations of what is created by PUT, put aside, exported, confirmed and named by others: each fault is found by the relation that is about it. */
import { test } from '@jest/globals';
import { eachRun } from '../support/contract.ts';
import { expectFailed, json, operation, serverOf, ofValidation } from '../support/planted-faults.ts';
import { apiOf } from '../unit/document/fixture.ts';

const run = eachRun();
const string = { type: 'string', minLength: 1, maxLength: 40 };
const count = { type: 'integer' };
const status = { type: 'string', enum: ['pending', 'confirmed'] };
const deskFields = { label: string };
const bookingFields = { desk: { type: 'string' }, note: string };
const objectOf = (properties: object, required = Object.keys(properties)) => ({ type: 'object', required, properties });
const desk = objectOf({ code: string, ...deskFields, archived: { type: 'boolean' }, version: count });
const booking = objectOf({ id: count, ...bookingFields, status });
const newBooking = { ...objectOf(bookingFields), example: { desk: 'unknown', note: 'x' } };
const inPath = (name: string, schema: object) => ({ parameters: [{ name, in: 'path', required: true, schema }] });
const withArchived = { name: 'include_archived', in: 'query', schema: { type: 'boolean', default: false } };
const ofStatus = { name: 'status', in: 'query', schema: status };
const code = { type: 'string', pattern: '^[a-z0-9]{2,12}$' };
const document = apiOf(
  {
    '/desks': {
      get: operation('listDesks', { 200: json({ type: 'array', items: desk }) }, undefined, {
        parameters: [withArchived],
      }),
    },
    '/desks/{desk_code}': {
      ...inPath('desk_code', code),
      get: operation('getDesk', { 200: json(desk) }),
      put: operation('putDesk', { 200: json(desk), 201: json(desk) }, objectOf(deskFields)),
      delete: operation('archiveDesk', { 204: 'Archived' }, undefined, { summary: 'Archive a desk' }),
    },
    '/bookings': {
      get: operation('listBookings', { 200: json({ type: 'array', items: booking }) }, undefined, {
        parameters: [ofStatus],
      }),
      post: operation('book', { 201: json(booking), 422: 'There is no such desk' }, newBooking),
    },
    '/bookings.csv': {
      get: operation('exportBookings', { 200: { 'text/csv': { schema: { type: 'string' } } } }, undefined, {
        parameters: [ofStatus],
      }),
    },
    '/bookings/{booking_id}': { ...inPath('booking_id', count), get: operation('getBooking', { 200: json(booking) }) },
    '/bookings/{booking_id}/confirm': {
      ...inPath('booking_id', count),
      post: operation('confirm', { 200: json(booking), 409: 'The booking is not pending' }),
    },
  },
  { title: 'Desks' },
);

type Desk = Readonly<{ code: string; label: string; archived: boolean; version: number }>;
type Booking = Readonly<{ id: number; desk: string; note: string; status: string }>;

/** How a server does what the mutants do otherwise. */
const right = {
  replaced: 200,
  location: (id: number) => `/bookings/${id}`,
  next: (version: number) => version + 1,
  isListed: (each: Desk, isAll: boolean) => isAll || !each.archived,
  isKnown: (name: string, desks: ReadonlyMap<string, Desk>) => desks.has(name),
  mayConfirm: (each: Booking) => each.status === 'pending',
  cell: (value: string) => `"${value.replaceAll('"', '""')}"`,
  exported: (each: Booking, wanted: string | null) => wanted === null || each.status === wanted,
};

function deskServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const desks = new Map<string, Desk>();
  const bookings: Booking[] = [];
  return serverOf((method, { pathname, searchParams }, sent) => {
    const [, kind = '', key = '', action] = pathname.split('/');
    const called = `${method} ${kind}${key === '' ? '' : '/'}${action ?? ''}`;
    const isValid = Object.values(sent).every((each) => typeof each === 'string' && /^.{1,40}$/su.test(each));
    const wanted = searchParams.get('status');
    const [known, at] = [desks.get(key), bookings.findIndex(({ id }) => String(id) === key)];
    switch (called) {
      case 'GET desks':
        return [
          200,
          [...desks.values()].filter((each) => ways.isListed(each, searchParams.get('include_archived') === 'true')),
        ];
      case 'PUT desks/': {
        if (!/^[a-z0-9]{2,12}$/.test(key) || !isValid || !('label' in sent)) return [400];
        const version = known ? ways.next(known.version) : 1;
        desks.set(key, { code: key, label: String(sent['label']), archived: known?.archived ?? false, version });
        return [known ? ways.replaced : 201, desks.get(key)];
      }
      case 'GET desks/':
        return known ? [200, known] : [404];
      case 'DELETE desks/':
        if (known) desks.set(key, { ...known, archived: true });
        return [known ? 204 : 404];
      case 'GET bookings':
        return [200, bookings.filter((each) => wanted === null || each.status === wanted)];
      case 'GET bookings.csv': {
        const rows = bookings.filter((each) => ways.exported(each, wanted));
        return [
          200,
          ['id,status,note', ...rows.map((each) => `${each.id},${each.status},${ways.cell(each.note)}`)].join('\r\n'),
        ];
      }
      case 'POST bookings': {
        if (!isValid || !('note' in sent) || !('desk' in sent)) return [400];
        if (!ways.isKnown(String(sent['desk']), desks)) return [422];
        const id = bookings.length + 1;
        bookings.push({ id, desk: String(sent['desk']), note: String(sent['note']), status: 'pending' });
        return [201, bookings.at(-1), { Location: ways.location(id) }];
      }
      case 'GET bookings/':
        return bookings[at] ? [200, bookings[at]] : [404];
      case 'POST bookings/confirm':
        if (!bookings[at] || !ways.mayConfirm(bookings[at])) return [bookings[at] ? 409 : 404];
        bookings[at] = { ...bookings[at], status: 'confirmed' };
        return [200, bookings[at]];
      default:
        return [404];
    }
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['replaces with 201', { replaced: 201 }, ['putDesk.replaced']],
  ['keeps the version of what changes', { next: (version) => version }, ['putDesk.replaced']],
  ['lists what is archived', { isListed: () => true }, ['archiveDesk.removed']],
  ['never lists what is archived', { isListed: ({ archived }) => !archived }, ['archiveDesk.removed']],
  ['books desks that there are not', { isKnown: () => true }, ['book.referring']],
  ['sends a Location of nothing', { location: (id) => `/booking/${id}` }, ['book.created']],
  ['confirms twice', { mayConfirm: () => true }, ['confirm.acted']],
  ['exports without quotes', { cell: (value) => value }, ['exportBookings.exported']],
  ['exports all, whatever the filter', { exported: () => true }, ['exportBookings.exported']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(deskServer(wrong)), document, failed, {}, ofValidation);
});
