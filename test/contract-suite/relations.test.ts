/** Relations that hold for any API: a server that conforms passes, and each fault is found by the relation that is about it. */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import type { ApiDocument } from '../../contract/document/index.ts';
import { eachRun, idsOf, reportOn, targetAt } from '../support/contract.ts';
import { apiOf } from '../unit/document/fixture.ts';

const run = eachRun();
const secrets = { [schemeEntry('listener')]: 'a-listener', [schemeEntry('editor')]: 'an-editor' };

async function checked(handler: RequestListener, document: ApiDocument, only: string[] = ['*.relation.*']) {
  const target = targetAt(await run.serve(handler), secrets);
  return reportOn(target, { document, selection: { only, skip: [] } });
}

const file = { type: 'string', format: 'binary' };
const photo = { type: 'object', required: ['photo_id'], properties: { photo_id: { type: 'integer' } } };
const responses = (content: object) => ({ 200: { description: 'Done', content }, 404: { description: 'None' } });
const named = { name: 'photo_id', in: 'path', required: true, schema: { type: 'integer' } };
const photos = apiOf(
  {
    '/photos': {
      post: {
        operationId: 'addPhoto',
        requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: { file } } } } },
        responses: responses({ 'application/json': { schema: photo } }),
      },
    },
    '/photos/{photo_id}': {
      get: { operationId: 'getPhoto', parameters: [named], responses: responses({ 'image/*': { schema: file } }) },
    },
  },
  { title: 'Photos' },
);

test.each<[how: string, kept: (bytes: Buffer) => Buffer, failed: string[]]>([
  ['as it was sent', (bytes) => bytes, []],
  ['as text', (bytes) => Buffer.from(bytes.toString()), ['generated.addPhoto.relation.uploaded']],
])('a file of a form that is kept %s', async (_how, kept, failed) => {
  const files: Buffer[] = [];
  const server: RequestListener = (request, response) => {
    void buffer(request).then((form) => {
      const start = form.indexOf('\r\n\r\n') + 4;
      if (request.method === 'POST') files.push(kept(form.subarray(start, form.lastIndexOf('\r\n--'))));
      const isPost = request.method === 'POST';
      response.writeHead(200, { 'Content-Type': isPost ? 'application/json' : 'image/png' });
      response.end(isPost ? `{"photo_id":${files.length}}` : files[Number(request.url?.split('/').at(-1)) - 1]);
    });
  };
  expect(idsOf(await checked(server, photos), 'failed')).toEqual(failed);
});

const content = { 'application/json': { schema: { type: 'object' } } };
const news = apiOf(
  {
    '/news': {
      get: { operationId: 'getNews', responses: { '200': { description: '', content }, '304': { description: '' } } },
    },
  },
  { title: 'News' },
);

/** The outcomes on a server with this validator, and with these statuses of requests with a condition. */
async function outcomes(validator: () => OutgoingHttpHeaders, conditional: number): Promise<Record<string, string>> {
  const server: RequestListener = (request, response) => {
    const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
    if (request.url !== '/news') response.writeHead(404).end();
    else if (/undefined|never|1970/.test(String(etag ?? since)) || conditional === 200)
      response.writeHead(200, { 'Content-Type': 'application/json', ...validator() }).end('{}');
    else response.writeHead(conditional, validator()).end();
  };
  const { results } = await checked(server, news, []);
  const ofNotModified = results.filter(({ check: { id } }) => /not-modified|^conformance.*304/.test(id));
  return Object.fromEntries(ofNotModified.map(({ check, outcome }) => [check.id, outcome]));
}

const etag = () => ({ ETag: '"1"' });
const modified = () => ({ 'Last-Modified': 'Mon, 02 Mar 2026 09:15:00 GMT' });
let versions = 0;

test.each<[title: string, validator: () => OutgoingHttpHeaders, conditional: number, check: string, seen: boolean]>([
  ['sends 304 to its ETag', etag, 304, 'passed', true],
  ['sends 304 to its time of change', modified, 304, 'passed', true],
  ['sends the same again', etag, 200, 'failed', false],
  ['sends another status', etag, 412, 'failed', false],
  ['changes in between', () => ({ ETag: `"${(versions += 1)}"` }), 200, 'passed', false],
  ['has no validator', () => ({}), 200, 'not run', false],
])('a server that %s', async (_title, validator, conditional, check, seen) => {
  expect(await outcomes(validator, conditional)).toEqual({
    'generated.getNews.relation.not-modified': check,
    ...(seen ? { 'conformance.getNews.304.body': 'passed' } : { 'conformance.getNews.304': 'not run' }),
  });
});

const artist = { type: 'string', maxLength: 80 };
const fields = { title: artist, artist };
const newSong = { type: 'object', required: ['title', 'artist'], properties: fields };
const song = { ...newSong, properties: { id: { type: 'integer' }, ...fields } };
const listOf = (items: object) => ({ type: 'object', properties: { songs: { type: 'array', items } } });
const operationOf = (operationId: string, got: object, sent?: object, scheme = 'listener') => ({
  ...{ operationId, security: [{ [scheme]: [] }] },
  ...(sent && { requestBody: { required: true, content: { 'application/json': { schema: sent } } } }),
  responses: { ...responses({ 'application/json': { schema: got } }), 401: { description: 'Who?' } },
});
const ofArtist = { type: 'object', properties: { artist } };
const change = operationOf('changeSong', song, { type: 'object', properties: fields }, 'editor');
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
  {
    title: 'Songs',
    components: { securitySchemes: { listener: header('X-Listener'), editor: header('X-Editor') } },
  },
);

interface Song {
  readonly id: number;
  readonly artist: string;
}
type Sent = Partial<Song> & { readonly songs?: readonly Partial<Song>[] };

/** How a server adds one song, also twice, and several, searches and changes them, and knows who may change them. */
const right = {
  add: (all: Song[], sent: Song) => all.push(sent),
  keyOf: ({ 'idempotency-key': key }: IncomingMessage['headers']) => key?.toString(),
  addAll: (all: Song[], sent: Song[]): object => ({ songs: sent.map((each) => all[all.push(each) - 1]) }),
  isFound: ({ artist }: Song, { artist: wanted = artist }: Sent) => artist === wanted,
  change: (before: Song, sent: Sent): Song => ({ ...before, ...sent }),
  isEditor: ({ 'x-editor': editor }: IncomingMessage['headers']) => editor === 'an-editor',
};

function songServer(waysOf: (headers: IncomingMessage['headers']) => Partial<typeof right>): RequestListener {
  const all: Song[] = [];
  const byKey = new Map<string | undefined, Song>();
  let made = 0;
  const withId = (each: Sent) => ({ artist: '', ...each, id: (made += 1) });
  const respond = ({ method = '', url = '', headers }: IncomingMessage, sent: Sent): object | number => {
    const ways = { ...right, ...waysOf(headers) };
    const isAllowed = method === 'PATCH' ? ways.isEditor(headers) : headers['x-listener'] === 'a-listener';
    if (!isAllowed) return 401;
    const found = all.findIndex(({ id }) => url === `/songs/${id}`);
    switch (`${method} ${url}`) {
      case 'GET /songs':
        return { songs: all };
      case 'POST /songs/search':
        return { songs: all.filter((each) => ways.isFound(each, sent)) };
      case 'POST /songs/bulk':
        return ways.addAll(all, sent.songs?.map(withId) ?? []);
      case 'POST /songs': {
        const key = ways.keyOf(headers);
        const known = byKey.get(key);
        const added = known ?? withId(sent);
        if (key !== undefined) byKey.set(key, added);
        if (!known) ways.add(all, added);
        return added;
      }
      default:
        if (method === 'PATCH' && all[found]) all[found] = ways.change(all[found], sent);
        return all[found] ?? 404;
    }
  };
  return (request, response) => {
    void buffer(request).then((bytes) => {
      const body = respond(request, (bytes.length > 0 ? JSON.parse(bytes.toString()) : {}) as Sent);
      response.writeHead(typeof body === 'number' ? body : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  };
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['keeps all, and finds what matches', {}, []],
  ['adds several later', { addAll: (all, sent) => (right.addAll(all, sent), { id: 9 }) }, []],
  ['adds the first of several', { addAll: (all, sent) => right.addAll(all, sent.slice(0, 1)) }, ['addSongs.several']],
  ['shows several and keeps none', { addAll: (_all, sent) => right.addAll([], sent) }, ['addSongs.several']],
  ['adds a song again whose key is the same', { keyOf: () => undefined }, ['addSong.repeated-key']],
  ['ignores the filter of a search', { isFound: () => true }, ['searchSongs.filtered.artist']],
  [
    'resets what a change leaves out',
    { change: (before, sent) => ({ ...before, artist: '', ...sent }) },
    ['changeSong.changed', 'addSong.walk'],
  ],
  ['lets listeners change', { isEditor: () => true }, ['changeSong.unlisted-scheme']],
])('a server that %s', async (_title, wrong, failed) => {
  const server = songServer(() => wrong);
  expect(idsOf(await checked(server, songs), 'failed')).toEqual(
    failed.map((id) => `generated.${id.replace('.', '.relation.')}`),
  );
});

test('a fault that shows only with some headers is found, and they are named', async () => {
  const isForwarded = (name: string) => name.startsWith('x-forwarded');
  const server = songServer((headers) => (Object.keys(headers).some(isForwarded) ? { add: () => 0 } : {}));
  const messages = (await checked(server, songs)).results.flatMap(({ failures }) =>
    failures.map(({ message }) => message),
  );
  expect(messages).not.toEqual([]);
  for (const message of messages) expect(message).toMatch(/, only with X-Forwarded-[A-Za-z-]+: ((?! and [A-Z]).)*$/);
});
