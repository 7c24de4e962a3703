/** Relations that hold for any API: a conforming library passes, and each fault is found by the relation that is about it. */
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { createMock } from '../../contract/mock/app.ts';
import { createLibraryServer, type LibraryFault } from './library/server.ts';
import { checkLibrary, checkServer, failedOf, library } from './library/run.ts';
import { apiOf } from '../unit/document/fixture.ts';

test('a server that conforms passes every relation, within the budget', async () => {
  const report = await checkLibrary(undefined, { seed: 7 });
  expect(failedOf(report)).toEqual([]);
  const passed = report.results.filter(({ check, outcome }) => check.id.includes('.relation.') && outcome === 'passed');
  expect(passed.length).toBeGreaterThan(55);
  expect(report.requests).toBeLessThan(4500);
});

test.each<[fault: LibraryFault, relation: string]>([
  ['add-not-kept', 'addBook.relation.created'],
  ['remove-keeps-in-lists', 'removeBook.relation.removed'],
  ['change-resets', 'changeBook.relation.changed'],
  ['replace-merges', 'replaceBook.relation.edges'],
  ['price-fraction', 'addBook.relation.edges'],
  ['filter-after-limit', 'listBooks.relation.paged'],
  ['genre-ignored', 'listBooks.relation.filtered.genre'],
  ['sort-as-text', 'listBooks.relation.sorted'],
  ['foreign-read', 'getBook.relation.other-tenant'],
  ['reader-saves', 'saveSettings.relation.unlisted-scheme'],
  ['stale-remove', 'removeBook.relation.stale-precondition'],
  ['key-ignored', 'addBook.relation.repeated-key'],
  ['cover-as-text', 'putCover.relation.uploaded'],
  ['remove-takes-neighbour', 'addBook.relation.walk'],
])('%s is found by %s', async (fault, relation) => {
  expect(failedOf(await checkLibrary(fault, { only: [`*${relation}`] }))).toContain(`generated.${relation}`);
});

test('a fault that shows only with some headers is found, and they are named', async () => {
  const [right, broken] = [createLibraryServer(), createLibraryServer('add-not-kept')];
  const front = createServer((request, response) => {
    const isBroken = Object.keys(request.headers).some((name) => name.startsWith('x-forwarded'));
    (isBroken ? broken : right).emit('request', request, response);
  });
  const { results } = await checkServer(front, { only: ['*.relation.*'] });
  const failures = results.flatMap(({ check, failures: found }) => (check.id.includes('.relation.') ? found : []));
  expect(failures).not.toEqual([]);
  for (const { message } of failures) expect(message).toMatch(/, only with X-Forwarded-[A-Za-z-]+: ((?! and ).)*$/);
});

test('a mock, which responds with examples, contradicts no relation', async () => {
  const mock = createServer(createMock({ region: 'uk', document: library }));
  const { results } = await checkServer(mock, { only: ['*Book*.relation.*'] });
  const ofRelations = results.filter(({ check }) => check.id.includes('.relation.'));
  expect(ofRelations.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(ofRelations.map(({ reason }) => reason)).toContain('the server responds with an example, whatever it is sent');
});

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
  const server = createServer((request, response) => {
    void buffer(request).then((form) => {
      const start = form.indexOf('\r\n\r\n') + 4;
      if (request.method === 'POST') files.push(kept(form.subarray(start, form.lastIndexOf('\r\n--'))));
      const isPost = request.method === 'POST';
      response.writeHead(200, { 'Content-Type': isPost ? 'application/json' : 'image/png' });
      response.end(isPost ? `{"photo_id":${files.length}}` : files[Number(request.url?.split('/').at(-1)) - 1]);
    });
  });
  expect(failedOf(await checkServer(server, { document: photos, only: ['*.relation.*'] }))).toEqual(failed);
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
  const server = createServer((request, response) => {
    const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
    if (request.url !== '/news') response.writeHead(404).end();
    else if ((etag ?? since) === undefined || conditional === 200)
      response.writeHead(200, { 'Content-Type': 'application/json', ...validator() }).end('{}');
    else response.writeHead(conditional, validator()).end();
  });
  const { results } = await checkServer(server, { document: news });
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
const newSong = {
  type: 'object',
  required: ['title', 'artist'],
  properties: { title: artist, artist },
};
const song = { ...newSong, properties: { id: { type: 'integer' }, ...newSong.properties } };
const listOf = (items: object) => ({ type: 'object', properties: { songs: { type: 'array', items } } });
const operationOf = (operationId: string, got: object, sent?: object) => ({
  operationId,
  ...(sent && { requestBody: { required: true, content: { 'application/json': { schema: sent } } } }),
  responses: responses({ 'application/json': { schema: got } }),
});
const songs = apiOf(
  {
    '/songs': { get: operationOf('listSongs', listOf(song)), post: operationOf('addSong', song, newSong) },
    '/songs/bulk': { post: operationOf('addSongs', { type: 'object' }, listOf(newSong)) },
    '/songs/search': { post: operationOf('searchSongs', listOf(song), { type: 'object', properties: { artist } }) },
    '/songs/{photo_id}': { get: { ...operationOf('getSong', song), parameters: [named] } },
  },
  { title: 'Songs' },
);

interface Song {
  readonly id: number;
  readonly artist: string;
}
type Sent = Partial<Song> & { readonly songs?: readonly Partial<Song>[] };

/** The failed relations of a server with these ways to add several songs, and to match one with a search. */
async function failedOfSongs(
  addAll: (all: Song[], sent: Song[]) => object,
  isFound: (each: Song, sent: Sent) => boolean,
) {
  const all: Song[] = [];
  let made = 0;
  const withId = (each: Sent) => ({ artist: '', ...each, id: (made += 1) });
  const respond = (path: string, sent: Sent): object | undefined => {
    if (path === 'GET /songs') return { songs: all };
    if (path === 'POST /songs/search') return { songs: all.filter((each) => isFound(each, sent)) };
    if (path === 'POST /songs/bulk') return addAll(all, sent.songs?.map(withId) ?? []);
    if (path === 'POST /songs') return all[all.push(withId(sent)) - 1];
    return all.find(({ id }) => path === `GET /songs/${id}`);
  };
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const sent = (bytes.length > 0 ? JSON.parse(bytes.toString()) : {}) as Sent;
      const body = respond(`${request.method} ${request.url}`, sent);
      response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? {}));
    });
  });
  return failedOf(await checkServer(server, { document: songs, only: ['*.relation.*'] }));
}

const keep = (all: Song[], sent: Song[]) => ({ songs: sent.map((each) => all[all.push(each) - 1]) });
const isOf = ({ artist }: Song, { artist: wanted = artist }: Sent) => artist === wanted;

test.each<[title: string, ...Parameters<typeof failedOfSongs>, failed: string[]]>([
  ['keeps all, and finds what matches', keep, isOf, []],
  ['adds several later', (all, sent) => (keep(all, sent), { id: 9 }), isOf, []],
  ['adds the first of several', (all, sent) => keep(all, sent.slice(0, 1)), isOf, ['addSongs.relation.several']],
  ['shows several and keeps none', (_all, sent) => keep([], sent), isOf, ['addSongs.relation.several']],
  ['ignores the filter of a search', keep, () => true, ['searchSongs.relation.filtered.artist']],
])('a server that %s', async (_title, addAll, isFound, failed) => {
  expect(await failedOfSongs(addAll, isFound)).toEqual(failed.map((id) => `generated.${id}`));
});
