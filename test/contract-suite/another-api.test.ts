/** A document of another API, and a server of it: no check fails by mistake, and each planted deviation is found. */
import { expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { type OperationValues, withGivenValues } from '../../contract/cli/configuration.ts';
import { loadDocument } from '../../contract/document/index.ts';
import type { Report } from '../../contract/run/model.ts';
import {
  type BikeRequest,
  type BikeResponse,
  type Deviation,
  bikeId,
  bikeKey,
  bikeHandler,
} from '../support/bike-server.ts';
import { eachRun, idsOf, reportOn, targetAt } from '../support/contract.ts';
import { json, respondWith } from '../support/misbehaving-servers.ts';
import { apiOf } from '../unit/document/fixture.ts';

const values: Record<string, OperationValues> = {
  '*': { path: { id: bikeId } },
  'GET /bikes': {
    query: { tags: ['city', 'red'], sizes: [50, 54], filter: { brand: 'a' } },
    header: { 'x-shop': 'north' },
  },
};
const written = await loadDocument(fileURLToPath(new URL('./documents/bikes/openapi.yaml', import.meta.url)));
const document = withGivenValues(written, {
  values,
  security: { key: bikeKey },
  fail: (place, fault) => {
    throw new Error(`${place.join('.')} ${fault}`);
  },
});

const run = eachRun();
const secrets = { [schemeEntry('key')]: bikeKey };

async function check(deviate?: Deviation, seen?: BikeRequest[]): Promise<Report> {
  const handler = bikeHandler((right, request) => {
    seen?.push(request);
    return deviate?.(right, request) ?? right;
  });
  return reportOn(targetAt(await run.serve(handler), secrets), { document });
}

test('a server that conforms passes all that its document promises, and nothing else is checked', async () => {
  const seen: BikeRequest[] = [];
  const report = await check(undefined, seen);
  expect(idsOf(report, 'failed')).toEqual([]);
  expect(report.conforms).toBe(true);
  expect(new Set(report.results.map((result) => result.check.source))).toEqual(new Set(['document']));
  // The method decides over 405, so that no request of the operation itself gets it.
  const unseen = idsOf(report, 'not run').filter((id) => !id.endsWith('.relation.other-tenant'));
  expect(unseen).toEqual(['replay.getParts.405']);
  expect(idsOf(report, 'passed').length).toBeGreaterThan(70);
  const list = seen.find(({ path, query }) => path === '/bikes' && query.has('sizes'));
  const expected = { tags: 'city,red', sizes: '50|54', 'filter[brand]': 'a', api_key: bikeKey };
  expect(Object.fromEntries(list?.query ?? [])).toEqual(expected);
});

test('a login may refuse a user name and a password that nobody has given', async () => {
  const example = { user: 'ann', password: 'secret' };
  const content = { 'application/json': { schema: { type: 'object' }, example } };
  const responses = { 204: { description: 'In' }, 401: { description: 'Out', content: { 'application/json': {} } } };
  const post = { operationId: 'login', security: [], requestBody: { content }, responses };
  const login = apiOf({ '/login': { post } }, { title: 'L' });
  const report = await reportOn(targetAt(await run.serve(respondWith(401, json, '{}'))), { document: login });
  expect(idsOf(report, 'failed')).toEqual([]);
  const success = report.results.find(({ check: { id } }) => id === 'replay.login.204');
  expect(success?.reason).toMatch(/^missing: a body that the server accepts/);
});

/** Gives another response in place of those of which `METHOD path status` matches. */
const on =
  (which: RegExp, change: (right: BikeResponse, request: BikeRequest) => BikeResponse): Deviation =>
  (right, request) =>
    which.test(`${request.method} ${request.path} ${right.status}`) ? change(right, request) : right;
const body = (operation: string, change: (body: Record<string, unknown>) => unknown): Deviation =>
  on(new RegExp(`^${operation}.* 2..$`), (right) => ({
    ...right,
    body: change(right.body as Record<string, unknown>),
  }));
const refused = { headers: { 'Content-Type': 'application/problem+json' }, body: { title: 'no' } };
const noBikes: BikeResponse = { status: 200, headers: { 'X-Total-Count': '0' }, body: [] };
const anotherBike = { status: 200, headers: {}, body: { id: bikeId, kind: 'plain', name: 'Ada', tags: [], gears: 1 } };
const part = { status: 200, body: { name: 'bike' } };
const added = { ...anotherBike, status: 201, headers: { Location: '/a' } };
const bike = 'GET /bikes/.';

const content = { 'application/json': { schema: { type: 'array', items: { minimum: 'x' } } } };
const add = { operationId: 'add', requestBody: { content }, responses: { '200': { description: 'Added' } } };

test.each<[what: string, document: object, message: RegExp]>([
  ['without operations', { openapi: '3.1.0', paths: {} }, /^error: the document has no operation to check\n$/],
  [
    'with a schema that is none',
    { paths: { '/a': { post: add } } },
    /openapi\.json: the schema of the body application\/json of add cannot be read: minimum .*\n$/,
  ],
])('that a document %s cannot be checked is told in one line', async (_what, given, message) => {
  const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Another', version: '1' }, ...given });
  const file = await run.write('openapi.json', text);
  const { exitCode, stdout, stderr } = await run.inProcess(['--openapi', file, '--url', 'http://127.0.0.1:1']);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});

const bikeBody = ['conformance.getBike.200.body'];
test.each<[name: string, deviation: Deviation, found: string[]]>([
  ['a wrong type in a part of allOf', body(bike, (each) => ({ ...each, tags: 'city' })), bikeBody],
  ['no alternative of oneOf', body(bike, (each) => ({ ...each, gears: undefined })), bikeBody],
  [
    'a field more where others are refused, deep in a recursion',
    body('GET /parts', (each) => ({ ...each, parts: [{ name: 'a', parts: [{ name: 'b', weight: 1 }] }] })),
    ['conformance.getParts.200.body'],
  ],
  ['no header', on(/ 201$/, (right) => ({ ...right, headers: {} })), ['conformance.addBike.201.header.Location']],
  [
    'an undocumented status',
    on(/ 201$/, (right) => ({ ...right, status: 202 })),
    ['replay.addBike.201', 'explored.addBike.success', 'conformance.addBike.status'],
  ],
  ['no 401', on(/^GET \/bikes 401$/, () => noBikes), ['replay.listBikes.401', 'explored.listBikes.credential']],
  ['no 404', on(/^GET .* 404$/, () => anotherBike), ['replay.getBike.404', 'explored.getBike.not-found']],
  ['no 404 to HEAD', on(/^HEAD.* 404$/, () => ({ status: 200 })), ['replay.hasBike.404', 'explored.hasBike.not-found']],
  ['no 405', on(/ 405$/, () => part), ['generated.getParts.relation.unlisted-methods']],
  ['no 415', on(/ 415$/, () => added), ['replay.addBike.415', 'explored.addBike.body', 'explored.addBike.media-type']],
  [
    'an invalid body',
    on(/ 422$/, (right, { body: sent }) => (sent.includes('"tags":null') ? added : right)),
    ['explored.addBike.body'],
  ],
  [
    'an accepted parameter that is invalid',
    on(/ 400$/, (right, { query }) => (Number(query.get('limit')) > 50 ? noBikes : right)),
    ['explored.listBikes.parameters'],
  ],
  [
    'a failure of the server',
    (right, request) => (request.body.includes('"battery":0') ? { status: 500 } : right),
    ['explored.addBike.body', 'conformance.addBike.status'],
  ],
  [
    'a style of an array that is not understood',
    on(/ 200$/, (right, { query }) => (/^\d+\|/.test(query.get('sizes') ?? '') ? { ...refused, status: 400 } : right)),
    ['replay.listBikes.200', 'explored.listBikes.success'],
  ],
])('a deviation is found by the check that is about it: %s', async (_name, deviation, found) => {
  const failed = idsOf(await check(deviation), 'failed');
  // What is wrong in every response contradicts relations, too.
  expect(failed.filter((id) => found.includes(id) || !id.includes('.relation.'))).toEqual(found);
});
