/** Relations that hold for any API: a server that conforms passes, and each fault is found by the relation that is about it. */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import type { ApiDocument } from '../../contract/document/index.ts';
import { eachRun, idsOf, reportOn, targetAt } from '../support/contract.ts';
import { expectFailed, json, operation, ofValidation, type Reply, serverOf } from '../support/planted-faults.ts';
import { apiOf } from '../unit/document/fixture.ts';

const run = eachRun();
const secrets = { [schemeEntry('listener')]: 'a-listener', [schemeEntry('editor')]: 'an-editor' };

async function checked(handler: RequestListener, document: ApiDocument, only: string[] = ['*.relation.*']) {
  const target = targetAt(await run.serve(handler), secrets);
  return reportOn(target, { document, selection: { only, skip: ofValidation } });
}

const file = { type: 'string', format: 'binary' };
const photo = { type: 'object', required: ['photo_id'], properties: { photo_id: { type: 'integer' } } };
const named = { name: 'photo_id', in: 'path', required: true, schema: { type: 'integer' } };
const form = { 'multipart/form-data': { schema: { type: 'object', properties: { file } } } };
const image = { 'image/*': { schema: file } };
const photos = apiOf(
  {
    '/photos': { post: operation('addPhoto', { 200: json(photo) }, undefined, { requestBody: { content: form } }) },
    '/photos/{photo_id}': {
      get: operation('getPhoto', { 200: image, 206: image }, undefined, { parameters: [named] }),
    },
  },
  { title: 'Photos' },
);

test.each<[how: string, kept: (bytes: Buffer) => Buffer, first: number, failed: string[]]>([
  ['as it was sent', (bytes) => bytes, 0, []],
  ['as text', (bytes) => Buffer.from(bytes.toString()), 0, ['generated.addPhoto.relation.uploaded']],
  ['and read in other parts', (bytes) => bytes, 1, ['generated.getPhoto.relation.ranged']],
])('a file of a form that is kept %s', async (_how, kept, first, failed) => {
  const files: Buffer[] = [];
  const server: RequestListener = (request, response) => {
    void buffer(request).then((form) => {
      const start = form.indexOf('\r\n\r\n') + 4;
      const [isPost, isPart] = [request.method === 'POST', request.headers.range === 'bytes=0-1'];
      if (isPost) files.push(kept(form.subarray(start, form.lastIndexOf('\r\n--'))));
      const range = { 'Content-Range': 'bytes 0-1/*' };
      response.writeHead(isPart ? 206 : 200, {
        'Content-Type': isPost ? 'application/json' : 'image/png',
        ...(isPart && range),
      });
      const whole = files[Number(request.url?.split('/').at(-1)) - 1];
      response.end(isPost ? `{"photo_id":${files.length}}` : isPart ? whole?.subarray(first, first + 2) : whole);
    });
  };
  expect(idsOf(await checked(server, photos), 'failed')).toEqual(failed);
});

const got = operation('getNews', { 200: json({ type: 'object' }), 304: 'The same' });
const news = apiOf({ '/news': { get: got } }, { title: 'News' });

const etag = () => ({ ETag: '"1"' });
let versions = 0;

test.each<[title: string, validator: () => OutgoingHttpHeaders, conditional: number, check: string, seen: boolean]>([
  ['sends 304 to its ETag', etag, 304, 'passed', true],
  [
    'sends 304 to its time of change',
    () => ({ 'Last-Modified': 'Mon, 02 Mar 2026 09:15:00 GMT' }),
    304,
    'passed',
    true,
  ],
  ['sends the same again', etag, 200, 'failed', false],
  ['sends another status', etag, 412, 'failed', false],
  ['changes in between', () => ({ ETag: `"${(versions += 1)}"` }), 200, 'passed', false],
  ['has no validator', () => ({}), 200, 'not run', false],
])('a server that %s', async (_title, validator, conditional, check, seen) => {
  const server = serverOf((_method, { pathname }, _sent, { 'if-none-match': etag, 'if-modified-since': since }) => {
    if (pathname !== '/news') return [404];
    const isWhole = conditional === 200 || /undefined|never|1970/.test(String(etag ?? since));
    return isWhole ? [200, {}, validator()] : [conditional, undefined, validator()];
  });
  const { results } = await checked(server, news, []);
  const ofNotModified = results.filter(({ check: { id } }) => /not-modified|^conformance.*304/.test(id));
  expect(Object.fromEntries(ofNotModified.map(({ check: { id }, outcome }) => [id, outcome]))).toEqual({
    'generated.getNews.relation.not-modified': check,
    ...(seen ? { 'conformance.getNews.304.body': 'passed' } : { 'conformance.getNews.304': 'not run' }),
  });
});

const artist = { type: 'string', maxLength: 9000 };
const fields = { title: artist, artist, release: { type: 'object', properties: { firm: artist, city: artist } } };
const newSong = { type: 'object', required: ['title', 'artist'], properties: fields };
const song = { ...newSong, properties: { id: { type: 'integer' }, ...fields } };
const listOf = (items: object) => ({ type: 'object', properties: { songs: { type: 'array', items } } });
const operationOf = (operationId: string, got: object, sent?: object, scheme = 'listener') =>
  operation(operationId, { 200: json(got), 401: 'Who?' }, sent, { security: [{ [scheme]: [] }] });
const ofArtist = { type: 'object', properties: { artist } };
const changed = operationOf('changeSong', song, { type: 'object', properties: fields }, 'editor');
const change = { ...changed, description: 'A merge patch (RFC 7396)' };
const header = (name: string) => ({ type: 'apiKey', in: 'header', name });
const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } };
const songs = apiOf(
  {
    '/songs': {
      get: operationOf('listSongs', listOf(song)),
      post: { ...operationOf('addSong', song, newSong), parameters: [key] },
    },
    '/songs/bulk': { post: operationOf('addSongs', { type: 'object' }, listOf(newSong)) },
    '/songs/search': { post: operationOf('searchSongs', listOf(song), ofArtist) },
    '/songs/{photo_id}': { parameters: [named], get: operationOf('getSong', song), patch: change },
  },
  { title: 'Songs', components: { securitySchemes: { listener: header('X-Listener'), editor: header('X-Editor') } } },
);

interface Song {
  readonly id: number;
  readonly artist: string;
  readonly release?: object;
}
type Sent = Partial<Song> & { readonly songs?: readonly Partial<Song>[] };

/** How a server adds one song, also twice, and several, searches and changes them, and knows who may change them. */
const right = {
  add: (all: Song[], sent: Song) => all.push(sent),
  keyOf: ({ 'idempotency-key': key }: IncomingMessage['headers']) => key?.toString(),
  addAll: (all: Song[], sent: Song[]): object => ({ songs: sent.map((each) => all[all.push(each) - 1]) }),
  isFound: ({ artist }: Song, { artist: wanted = artist }: Sent) => artist === wanted,
  change: (old: Song, { release, ...sent }: Sent): Song => ({
    ...old,
    ...sent,
    release: { ...old.release, ...release },
  }),
  isEditor: ({ 'x-editor': editor }: IncomingMessage['headers']) => editor === 'an-editor',
};

function songServer(waysOf: (headers: IncomingMessage['headers']) => Partial<typeof right>) {
  const all: Song[] = [];
  const byKey = new Map<string | undefined, Song>();
  let made = 0;
  const withId = (each: Sent) => ({ artist: '', ...each, id: (made += 1) });
  return serverOf((method, { pathname: url }, sent: Sent, headers): Reply => {
    const ways = { ...right, ...waysOf(headers) };
    const isAllowed = method === 'PATCH' ? ways.isEditor(headers) : headers['x-listener'] === 'a-listener';
    if (!isAllowed) return [401];
    const found = all.findIndex(({ id }) => url === `/songs/${id}`);
    switch (`${method} ${url}`) {
      case 'GET /songs':
        return [200, { songs: all }];
      case 'POST /songs/search':
        return [200, { songs: all.filter((each) => ways.isFound(each, sent)) }];
      case 'POST /songs/bulk':
        return [200, ways.addAll(all, sent.songs?.map(withId) ?? [])];
      case 'POST /songs': {
        const key = ways.keyOf(headers);
        const known = byKey.get(key);
        const added = known ?? withId(sent);
        if (key !== undefined) byKey.set(key, added);
        if (!known) ways.add(all, added);
        return [200, added];
      }
      default:
        if (method === 'PATCH' && all[found]) all[found] = ways.change(all[found], sent);
        return all[found] ? [200, all[found]] : [404];
    }
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['keeps all, and finds what matches', {}, []],
  ['adds several later', { addAll: (all, sent) => (right.addAll(all, sent), { id: 9 }) }, []],
  ['adds the first of several', { addAll: (all, sent) => right.addAll(all, sent.slice(0, 1)) }, ['addSongs.several']],
  ['shows several and keeps none', { addAll: (_all, sent) => right.addAll([], sent) }, ['addSongs.several']],
  ['adds a song again whose key is the same', { keyOf: () => undefined }, ['addSong.repeated-key']],
  ['ignores the filter of a search', { isFound: () => true }, ['searchSongs.filtered.artist']],
  [
    'resets others',
    { change: (old, sent) => ({ ...old, artist: '', ...sent }) },
    ['changeSong.changed', 'addSong.walk'],
  ],
  [
    'cuts long texts',
    { add: (all, each) => all.push({ ...each, artist: each.artist.slice(0, 6e3) }) },
    ['addSong.edges'],
  ],
  ['replaces what it should merge', { change: (old, sent) => ({ ...old, ...sent }) }, ['changeSong.changed']],
  ['lets listeners change', { isEditor: () => true }, ['explored.changeSong.credential']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(songServer(() => wrong)), songs, failed, secrets, ofValidation);
});

test('a fault that shows only with some headers is found, and they are named', async () => {
  const isForwarded = (name: string) => name.startsWith('x-forwarded');
  const server = songServer((headers) => (Object.keys(headers).some(isForwarded) ? { add: () => 0 } : {}));
  const { results } = await checked(server, songs);
  const messages = results.flatMap(({ failures }) => failures.map(({ message }) => message));
  expect(messages).not.toEqual([]);
  for (const message of messages) expect(message).toMatch(/, only with X-Forwarded-[A-Za-z-]+: ((?! and [A-Z]).)*$/);
});
