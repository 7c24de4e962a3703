/** Relations that hold for any API: a server that conforms passes, and each fault is found by the relation that is about it. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import type { ApiDocument } from '../../contract/document/index.ts';
import { eachRun, idsOf, reportOn, targetAt } from '../support/contract.ts';
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import { type Behaviour, resourceServer } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const run = eachRun();
const secrets = { [schemeEntry('listener')]: 'a-listener', [schemeEntry('editor')]: 'an-editor' };

async function checked(handler: RequestListener, document: ApiDocument, only: string[] = ['*.relation.*']) {
  const target = targetAt(await run.serve(handler), secrets);
  return reportOn(target, { document, selection: { only, skip: [] } });
}

const file = { ...t.string, format: 'binary' };
const image = { description: 'It', content: { 'image/*': { schema: file } } };
const form = { 'multipart/form-data': { schema: t.partial({ file }) } };
const photos = describedApi(
  {
    'POST /photos': [
      'addPhoto',
      { requestBody: { content: form }, 200: t.object({ photo_id: t.count }), 400: undefined },
    ],
    'GET /photos/{photo_id}': ['getPhoto', { 200: image, 206: image, 400: undefined }],
  },
  { title: 'Photos', invalid: 400, ids: { photo_id: t.count } },
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

const news = describedApi(
  { 'GET /news': ['getNews', { 200: { type: 'object' }, 304: 'The same' }] },
  { title: 'News' },
);

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
  const server = resourceServer(news, {
    kinds: {},
    acts: {
      getNews({ headers: { 'if-none-match': etag, 'if-modified-since': since } }) {
        const isWhole = conditional === 200 || /undefined|never|1970/.test(String(etag ?? since));
        return isWhole ? [200, {}, validator()] : [conditional, undefined, validator()];
      },
    },
  });
  const { results } = await checked(server, news, []);
  const ofNotModified = results.filter(({ check: { id } }) => /not-modified|^conformance.*304/.test(id));
  expect(Object.fromEntries(ofNotModified.map(({ check: { id }, outcome }) => [id, outcome]))).toEqual({
    'generated.getNews.relation.not-modified': check,
    ...(seen ? { 'conformance.getNews.304.body': 'passed' } : { 'conformance.getNews.304': 'not run' }),
  });
});

const artist = { ...t.string, maxLength: 9000 };
const fields = { title: artist, artist, release: t.partial({ firm: artist, city: artist }) };
const newSong = t.object(fields, ['release']);
const song = t.object({ id: t.count, ...fields }, ['id', 'release']);
const listOf = (items: object) => t.partial({ songs: t.list(items) });
const header = (name: string) => ({ type: 'apiKey', in: 'header', name });
const listens = { security: [{ listener: [] }], 401: 'Who?' };
const songs = describedApi(
  {
    'GET /songs': ['listSongs', { ...listens, 200: listOf(song) }],
    'POST /songs': [
      'addSong',
      {
        ...listens,
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: t.string }],
        sent: newSong,
        200: song,
      },
    ],
    'POST /songs/bulk': ['addSongs', { ...listens, sent: listOf(newSong), 200: { type: 'object' } }],
    'POST /songs/search': ['searchSongs', { ...listens, sent: t.partial({ artist }), 200: listOf(song) }],
    'GET /songs/{song_id}': ['getSong', { ...listens, 200: song }],
    'PATCH /songs/{song_id}': [
      'changeSong',
      {
        ...{ description: 'A merge patch (RFC 7396)', security: [{ editor: [] }], 401: 'Who?' },
        ...{ sent: t.partial(fields), 200: song },
      },
    ],
  },
  {
    ...{ title: 'Songs', invalid: 400, ids: { song_id: t.count } },
    securitySchemes: { listener: header('X-Listener'), editor: header('X-Editor') },
  },
);

type Song = { id: number; artist: string; release?: object };
type Fields = Song & { songs?: Song[] };

/** How a server keeps one song, also twice, and several, searches and changes them, and knows who may change them. */
const right = {
  kept: (song: Song, _headers: IncomingHttpHeaders): Song | undefined => song,
  keyOf: ({ 'idempotency-key': key }: IncomingHttpHeaders) => key?.toString(),
  addAll: (sent: Song[], add: (song: Song, at: number) => Song): object => ({ songs: sent.map(add) }),
  isFound: ({ artist: its }: Song, { artist: wanted = its }: Partial<Song>) => its === wanted,
  change: (old: Song, { release, ...sent }: Partial<Song>): Song => ({
    ...old,
    ...sent,
    release: { ...old.release, ...release },
  }),
  isEditor: ({ 'x-editor': editor }: IncomingHttpHeaders) => editor === 'an-editor',
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const byKey = new Map<string, Fields>();
  return {
    caller(headers, { method }) {
      const isAllowed = method === 'patch' ? ways.isEditor(headers) : headers['x-listener'] === 'a-listener';
      return isAllowed ? '' : 401;
    },
    enveloped: (shown) => (Array.isArray(shown) ? { songs: shown } : shown),
    kinds: { songs: {} },
    acts: {
      addSong({ fields: sent, headers, create, remove }) {
        const key = ways.keyOf(headers);
        const known = key !== undefined && byKey.get(key);
        if (known) return known;
        const added = create('songs', sent);
        if (key !== undefined) byKey.set(key, added);
        const response = { ...added };
        const kept = ways.kept(added, headers);
        if (kept) Object.assign(added, kept);
        else remove(added);
        return [200, response];
      },
      addSongs: ({ sent, create }) => [200, ways.addAll(sent.songs ?? [], (each) => create('songs', each))],
      searchSongs: ({ sent, all }) => all('songs').filter((each) => ways.isFound(each, sent)),
      changeSong: ({ item, sent }) => Object.assign(item, ways.change(item, sent)),
    },
  };
}

testFaults(
  songs,
  right,
  behaviour,
  [
    ['adds several later', { addAll: (sent, add) => (sent.map(add), { id: 9 }) }, []],
    ['adds the first of several', { addAll: (sent, add) => right.addAll(sent.slice(0, 1), add) }, ['addSongs.several']],
    [
      'shows several and keeps none',
      { addAll: (sent) => right.addAll(sent, (each, at) => ({ ...each, id: 900 + at })) },
      ['addSongs.several'],
    ],
    ['adds a song again whose key is the same', { keyOf: () => undefined }, ['addSong.repeated-key']],
    ['ignores the filter of a search', { isFound: () => true }, ['searchSongs.filtered.artist']],
    [
      'resets others',
      { change: (old, sent) => ({ ...old, artist: '', ...sent }) },
      ['changeSong.changed', 'addSong.walk'],
    ],
    ['cuts long texts', { kept: (each) => ({ ...each, artist: each.artist.slice(0, 6e3) }) }, ['addSong.edges']],
    ['replaces what it should merge', { change: (old, sent) => ({ ...old, ...sent }) }, ['changeSong.changed']],
    ['lets listeners change', { isEditor: () => true }, ['explored.changeSong.credential']],
  ],
  secrets,
);

test('a fault that shows only with some headers is found, and they are named', async () => {
  const isForwarded = (name: string) => name.startsWith('x-forwarded');
  const kept = (each: Song, headers: IncomingHttpHeaders) =>
    Object.keys(headers).some(isForwarded) ? undefined : each;
  const { results } = await checked(resourceServer(songs, behaviour({ ...right, kept })), songs);
  const messages = results.flatMap(({ failures }) => failures.map(({ message }) => message));
  expect(messages).not.toEqual([]);
  for (const message of messages) expect(message).toMatch(/, only with X-Forwarded-[A-Za-z-]+: ((?! and [A-Z]).)*$/);
});
