/** Relations of what is in an envelope, restored, counted, secret, or created with others, and of those who may only read. */
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { oracleOf } from '../../contract/oracle/schema.ts';
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const scheme = schemeEntry('token');
const secrets = { [scheme]: 'a-writer', [entryOf('lesser', scheme)]: 'a-reader' };

const properties = {
  ...{ id: t.readOnly(t.count), text: t.text(40) },
  ...{ price: { ...t.string, pattern: '^[1-9]\\d{0,4}\\.\\d\\d$' } },
  ...{ code: { ...t.text(40), minLength: 8, writeOnly: true }, added: t.readOnly(t.time) },
  status: t.readOnly(t.oneOf('draft', 'published')),
};
const note = { ...t.object(properties, ['id', 'added', 'status']), additionalProperties: false };
const faultsOf = oracleOf(note);
const within = (data: object) => t.partial({ data });
const counts = { notes: t.count, note_count: t.said(t.count, 'The number of published notes') };
const got = {
  security: [{ token: [] }],
  200: within(note),
  401: 'Who?',
  403: 'May not',
  409: 'Conflict',
};
const document = describedApi(
  {
    'GET /notes': [
      'listNotes',
      {
        ...{ ...got, 200: within(t.list({ ...note, required: [] })) },
        parameters: [
          t.inQuery('fields', t.list(t.oneOf('id', 'text', 'status')), { explode: false }),
          ...[
            t.inQuery('added_after', t.time),
            t.inQuery('text_contains', t.text(40)),
            t.inQuery('sort', t.oneOf('price')),
          ],
        ],
      },
    ],
    'POST /notes': ['addNote', { ...got, sent: note, 200: undefined, 201: within(note) }],
    'POST /notes/bulk': [
      'addNotes',
      {
        ...{ ...got, sent: t.object({ notes: t.list({ type: 'object' }) }) },
        ...{ 200: undefined, 207: within(t.list(note)) },
      },
    ],
    'GET /notes/{note_id}': ['getNote', got],
    'PUT /notes/{note_id}': ['replaceNote', { ...got, sent: note }],
    'DELETE /notes/{note_id}': ['removeNote', { ...got, 200: undefined, 204: 'Removed' }],
    'POST /notes/{note_id}/restore': ['restoreNote', got],
    'POST /notes/{note_id}/publish': ['publishNote', got],
    'POST /notes/{note_id}/withdraw': ['withdrawNote', got],
    'GET /stats': ['getStats', { ...got, 200: t.partial(counts) }],
  },
  { title: 'Notes', invalid: 400, ids: { note_id: t.count }, securitySchemes: { token: t.bearer } },
);

type Note = { id: number; text: string; price: string; code: string; status: string; added: string; removed: boolean };
type Fields = Note & { notes: Note[] };

/** How a server does what the mutants do otherwise. */
const right = {
  code: (_note: Note): string | undefined => undefined,
  isGone: (each: Note) => each.removed,
  restored: (each: Note) => ({ ...each, removed: false }),
  added: (_sent: Partial<Note>) => new Date().toISOString(),
  counted: (each: Note) => !each.removed,
  keeps: true,
  takesTwins: false,
  holds: (all: string, part: string) => all.toLowerCase().includes(part.toLowerCase()),
  etag: (each: Note) => `"${Buffer.from(each.text + each.price + each.status).toString('hex')}"`,
  mayWrite: (token: string) => token !== 'a-reader',
  shown: (asked: readonly string[], name: string) => asked.includes(name),
  isAfter: (time: string, bound: string) => Date.parse(time) > Date.parse(bound),
  order: (one: Note, other: Note) => Number(one.price) - Number(other.price),
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    enveloped: (data) => ({ data }),
    caller({ authorization = '' }, { method }) {
      const token = authorization.replace('Bearer ', '');
      if (!Object.values(secrets).includes(token)) return 401;
      return method === 'get' || ways.mayWrite(token) ? '' : 403;
    },
    kinds: {
      notes: {
        etag: right.etag,
        initial: ({ sent }) => ({ status: 'draft', removed: false, added: ways.added(sent) }),
        refused: ({ text: given }, { all }, item) =>
          all('notes').some((each) => !each.removed && each !== item && each.text === given) ? 409 : undefined,
        shown: ({ removed: _removed, ...each }) => ({ ...each, code: ways.code({ ...each, removed: false }) }),
        isSeen: (each, { operation }) =>
          !ways.isGone(each) || operation.operationId === 'restoreNote' || operation.path === '/stats',
        listed(notes, { query, shown }) {
          const [asked, after] = [query.get('fields')?.split(','), query.get('added_after')];
          const isHeld = (all: string) => ways.holds(all, query.get('text_contains') ?? '');
          const isFound = ({ added, text: all, removed }: Note) =>
            !removed && isHeld(all) && (after === null || ways.isAfter(added, after));
          const found = notes.filter(isFound);
          if (query.has('sort')) found.sort((one, other) => ways.order(one, other));
          const isShown = ([name]: [string, unknown]) => asked === undefined || ways.shown(asked, name);
          return [200, { data: found.map((each) => Object.fromEntries(Object.entries(shown(each)).filter(isShown))) }];
        },
      },
    },
    acts: {
      addNotes({ sent: { notes }, refusal, create, shown }) {
        if (notes.some((each) => faultsOf(each).length > 0)) return 400;
        const isTwin = ({ text: given }: Note, at: number) => notes.findIndex((each) => each.text === given) < at;
        const refused = notes.map((each) => refusal('notes', each)).find((status) => status !== undefined);
        if (refused !== undefined || (!ways.takesTwins && notes.some(isTwin))) return refused ?? 409;
        return [207, { data: notes.map((each) => shown(create('notes', each))) }];
      },
      replaceNote({ item, fields: { text: given, price }, refusal, shown }) {
        const refused = refusal('notes', { text: given }, item);
        if (refused !== undefined) return refused;
        return [200, { data: shown(Object.assign(item, { text: given, price })) }, { ETag: ways.etag(item) }];
      },
      removeNote({ item }) {
        item.removed = true;
        return 204;
      },
      restoreNote: ({ item }) => (item.removed ? Object.assign(item, ways.restored(item)) : 409),
      publishNote: ({ item }) => (item.status === 'draft' ? Object.assign(item, { status: 'published' }) : 409),
      withdrawNote({ item, shown }) {
        if (item.status !== 'published') return 409;
        return ways.keeps
          ? Object.assign(item, { status: 'draft' })
          : [200, { data: { ...shown(item), status: 'draft' } }];
      },
      getStats({ all }) {
        const counted = all('notes').filter((each) => ways.counted(each));
        const published = counted.filter((each) => each.status === 'published');
        return [200, { notes: counted.length, note_count: published.length }];
      },
    },
  };
}

testFaults(
  document,
  right,
  behaviour,
  [
    ['shows the code', { code: (each) => each.code }, ['addNote.created']],
    ['reads what was removed', { isGone: () => false }, ['removeNote.removed']],
    ['restores another text', { restored: (each) => ({ ...each, removed: false, text: 'x' }) }, ['restoreNote.acted']],
    ['takes over a time', { added: ({ added: time = new Date().toISOString() }) => time }, ['addNote.edges']],
    ['counts what was removed', { counted: () => true }, ['getStats.aggregated']],
    ['does not keep what is withdrawn', { keeps: false }, ['withdrawNote.acted']],
    ['finds beginnings', { holds: (all, part) => all.startsWith(part) }, ['listNotes.filtered.text_contains']],
    ['adds twins', { takesTwins: true }, ['addNotes.several']],
    ['tells another ETag', { etag: ({ id }) => `"${id}"` }, ['replaceNote.replaced']],
    ['lets readers write', { mayWrite: () => true }, ['replaceNote.lesser']],
    ['shows all fields', { shown: () => true }, ['listNotes.fields']],
    ['compares times as texts', { isAfter: (time, bound) => time > bound }, ['listNotes.filtered.added_after']],
    ['sorts amounts as texts', { order: (one, other) => (one.price < other.price ? -1 : 1) }, ['listNotes.sorted']],
  ],
  secrets,
);
