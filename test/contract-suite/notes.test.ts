/** Relations of what is in an envelope, restored, counted, secret, or created with others, and of those who may only read. */
import { test } from '@jest/globals';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { eachRun } from '../support/contract.ts';
import { expectFailed, json, operation, type Reply, serverOf, ofValidation } from '../support/planted-faults.ts';
import { apiOf } from '../unit/document/fixture.ts';

const run = eachRun();
const scheme = schemeEntry('token');
const secrets = { [scheme]: 'a-writer', [entryOf('lesser', scheme)]: 'a-reader' };

const text = { type: 'string', minLength: 1, maxLength: 40 };
const properties = {
  ...{ id: { type: 'integer', readOnly: true }, text: { ...text, description: 'Unique in any case' } },
  ...{ price: { type: 'string', pattern: '^[1-9]\\d{0,4}\\.\\d\\d$' } },
  ...{ code: { ...text, minLength: 8, writeOnly: true } },
  added: { type: 'string', format: 'date-time', readOnly: true },
  status: { type: 'string', enum: ['draft', 'published', 'c++'], readOnly: true },
};
const note = { type: 'object', additionalProperties: false, required: ['text', 'price', 'code'], properties };
const within = (data: object) => json({ type: 'object', properties: { data } });
const published = { type: 'integer', description: 'The number of published notes' };
const counts = { type: 'object', properties: { notes: { type: 'integer' }, note_count: published } };
const list = (items: object) => ({ type: 'array', items });
const refusals = { 401: 'Who?', 403: 'May not', 409: 'Only a draft can be published' };
const of = (id: string, success: number, got: object | string, sent?: object, more: object = {}) =>
  operation(id, { ...refusals, [success]: got }, sent, { security: [{ token: [] }], ...more });
const inQuery = (name: string, schema: object) => ({ name, in: 'query', explode: false, schema });
const ofId = { parameters: [{ name: 'note_id', in: 'path', required: true, schema: { type: 'integer' } }] };
const several = { type: 'object', required: ['notes'], properties: { notes: list({ type: 'object' }) } };
const parameters = [
  inQuery('fields', list({ type: 'string', enum: ['id', 'text', 'status'] })),
  inQuery('added_after', properties.added),
  inQuery('text_contains', text),
  inQuery('sort', { type: 'string', enum: ['price'] }),
];
const document = apiOf(
  {
    '/notes': {
      get: of('listNotes', 200, within(list({ ...note, required: [] })), undefined, { parameters }),
      post: of('addNote', 201, within(note), note),
    },
    '/notes/bulk': { post: of('addNotes', 207, within(list(note)), several, { description: 'Results in the order.' }) },
    '/notes/{note_id}': {
      ...ofId,
      get: of('getNote', 200, within(note)),
      put: of('replaceNote', 200, within(note), note),
      delete: of('removeNote', 204, 'Removed', undefined, { description: 'It can be restored.' }),
    },
    '/notes/{note_id}/restore': { ...ofId, post: of('restoreNote', 200, within(note)) },
    '/notes/{note_id}/publish': { ...ofId, post: of('publishNote', 200, within(note)) },
    '/notes/{note_id}/withdraw': { ...ofId, post: of('withdrawNote', 200, within(note)) },
    '/stats': { get: of('getStats', 200, json(counts)) },
  },
  { title: 'Notes', components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } },
);

const first = { id: 0, text: '', price: '', code: '', status: 'draft', added: '', removed: false };
type Note = typeof first;

/** How a server does what the mutants do otherwise. */
const right = {
  code: (_note: Note): string | undefined => undefined,
  isGone: (each: Note) => each.removed,
  restored: (each: Note) => ({ ...each, removed: false }),
  added: (_sent: Partial<Note>) => new Date().toISOString(),
  mayPublish: (each: Note) => each.status === 'draft',
  counted: (each: Note) => !each.removed,
  isPublished: (each: Note) => each.status === 'published',
  keeps: true,
  isAlike: (one: string, other: string) => one.toLowerCase() === other.toLowerCase(),
  holds: (all: string, part: string) => all.toLowerCase().includes(part.toLowerCase()),
  results: (all: readonly unknown[]) => all,
  etag: (each: Note) => `"${Buffer.from(each.text + each.price + each.status).toString('hex')}"`,
  mayWrite: (token: string) => token !== 'a-reader',
  shown: (asked: readonly string[], name: string) => asked.includes(name),
  isAfter: (time: string, bound: string) => Date.parse(time) > Date.parse(bound),
  order: (one: Note, other: Note) => Number(one.price) - Number(other.price),
};

function noteServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const notes: Note[] = [];
  const view = ({ removed: _removed, ...each }: Note) => ({ ...each, code: ways.code({ ...each, removed: false }) });
  return serverOf((method, { pathname, searchParams }, sent, { authorization = '' }): Reply => {
    const token = authorization.replace('Bearer ', '');
    if (!Object.values(secrets).includes(token)) return [401];
    if (method !== 'GET' && !ways.mayWrite(token)) return [403];
    const add = (given: Partial<Note>): Note => {
      notes.push({ ...first, ...given, status: 'draft', id: notes.length + 1, added: ways.added(given) });
      return notes.at(-1) as Note;
    };
    const isValid = ({ text: all = '', price = '', code = '' }: Partial<Note>) =>
      /^.{1,40}$/su.test(all) && /^[1-9]\d{0,4}\.\d\d$/.test(price) && code.length > 7;
    const [, kind, key = '', action] = pathname.split('/');
    const isWritten = action === undefined && ['POST', 'PUT'].includes(method);
    if (isWritten && !([sent['notes'] ?? sent].flat() as Note[]).every(isValid)) return [400];
    const isTaken = ({ id, removed, text: all }: Note) =>
      !removed && String(id) !== key && ways.isAlike(all, String(sent['text']));
    if (isWritten && notes.some(isTaken)) return [409];
    const counted = notes.filter((each) => ways.counted(each));
    if (kind === 'stats') return [200, { notes: counted.length, note_count: counted.filter(ways.isPublished).length }];
    const several = ((sent['notes'] ?? []) as Note[]).map((each) => each.text);
    if (several.some((one, at) => several.indexOf(one) !== at)) return [409];
    if (key === 'bulk') return [207, { data: ways.results((sent['notes'] as Note[]).map(add).map(view)) }];
    if (key === '' && method === 'POST') return [201, { data: view(add(sent)) }];
    if (key === '') {
      const [asked, after] = [searchParams.get('fields')?.split(','), searchParams.get('added_after')];
      const isHeld = (all: string) => ways.holds(all, searchParams.get('text_contains') ?? '');
      const isFound = ({ added, text: all }: Note) => isHeld(all) && (after === null || ways.isAfter(added, after));
      const found = notes.filter((each) => !each.removed && isFound(each));
      if (searchParams.has('sort')) found.sort((one, other) => ways.order(one, other));
      const isShown = ([name]: [string, unknown]) => asked === undefined || ways.shown(asked, name);
      return [200, { data: found.map((each) => Object.fromEntries(Object.entries(view(each)).filter(isShown))) }];
    }
    const known = notes.find(({ id }) => String(id) === key);
    if (!known || (action !== 'restore' && ways.isGone(known))) return [404];
    const save = (each: Note, isKept = true): Reply => {
      if (isKept) notes[each.id - 1] = each;
      return [200, { data: view(each) }, { ETag: ways.etag(each) }];
    };
    if (action === 'restore') return known.removed ? save(ways.restored(known)) : [409];
    if (action === 'publish') return ways.mayPublish(known) ? save({ ...known, status: 'published' }) : [409];
    const isOut = known.status === 'published';
    if (action === 'withdraw') return isOut ? save({ ...known, status: 'draft' }, ways.keeps) : [409];
    if (method === 'DELETE') save({ ...known, removed: true });
    if (method === 'DELETE') return [204];
    if (method === 'PUT') return save({ ...known, text: String(sent['text']), price: String(sent['price']) });
    return [200, { data: view(known) }, { ETag: right.etag(known) }];
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['shows the code', { code: (each) => each.code }, ['addNote.created']],
  ['reads what was removed', { isGone: () => false }, ['removeNote.removed']],
  ['restores another text', { restored: (each) => ({ ...each, removed: false, text: 'x' }) }, ['restoreNote.acted']],
  ['takes over a time', { added: ({ added: time = new Date().toISOString() }) => time }, ['addNote.edges']],
  ['publishes twice', { mayPublish: () => true }, ['publishNote.acted']],
  ['counts what was removed', { counted: () => true }, ['getStats.aggregated']],
  ['counts drafts as published', { isPublished: () => true }, ['getStats.aggregated']],
  ['does not keep what is withdrawn', { keeps: false }, ['withdrawNote.acted']],
  ['tells capitals apart', { isAlike: (one, other) => one === other }, ['addNote.conflict']],
  ['finds beginnings', { holds: (all, part) => all.startsWith(part) }, ['listNotes.filtered.text_contains']],
  ['has results in another order', { results: (all) => all.toReversed() }, ['addNotes.several']],
  ['tells another ETag', { etag: ({ id }) => `"${id}"` }, ['replaceNote.replaced']],
  ['lets readers write', { mayWrite: () => true }, ['replaceNote.lesser']],
  ['shows all fields', { shown: () => true }, ['listNotes.fields']],
  ['compares times as texts', { isAfter: (time, bound) => time > bound }, ['listNotes.filtered.added_after']],
  ['sorts amounts as texts', { order: (one, other) => (one.price < other.price ? -1 : 1) }, ['listNotes.sorted']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(noteServer(wrong)), document, failed, secrets, ofValidation);
});
