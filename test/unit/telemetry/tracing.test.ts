import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';
import { settingPath } from '../../support/harness.ts';
import { serveHttp } from '../../support/misbehaving-servers.ts';
import { overrideStore } from '../../support/override-store.ts';
import { startWatchedService, type WatchedService } from '../../support/watched-service.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number };
  attributes: { key: string; value: Record<string, unknown> }[];
}

let received: { resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[] }[];
let status: number;
let authorization: string | undefined;
beforeEach(async () => {
  [received, status] = [[], 200];
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = await serveHttp((request, response) => {
    void json(request).then((traces) => {
      received.push(traces as (typeof received)[0]);
      authorization = request.headers.authorization;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50';
});
afterEach(() => {
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_BSP_SCHEDULE_DELAY', 'OTEL_SERVICE_NAME'])
    // oxlint-disable-next-line @typescript-eslint/no-dynamic-delete -- the only way to unset a variable
    delete process.env[name];
});

const start = (wrap?: (store: Store) => Store, environment: NodeJS.ProcessEnv = {}) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = process.env;
  return startWatchedService({ OTEL_EXPORTER_OTLP_ENDPOINT, ...environment }, wrap);
};

async function afterRequest(
  { headers = {}, path = settingPath }: { headers?: Record<string, string>; path?: string } = {},
  ...parameters: Parameters<typeof start>
): Promise<WatchedService> {
  const watched = await start(...parameters);
  const url = new URL(path, watched.url);
  await (await fetch(url, { headers: { ...watched.headers, ...headers } })).text();
  await watched.close();
  return watched;
}

const spans = () =>
  received.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans[0]?.spans ?? []));
const attributesOf = ({ attributes }: Pick<Span, 'attributes'>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const [traceId, caller] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const serverKind = 2;
const errorStatus = 2;

test("a request is a span of the caller's trace, with its store calls below it, and its log line names both", async () => {
  const headers = { traceparent: `00-${traceId}-${caller}-01`, 'x-request-id': 'my-request' };
  const watched = await afterRequest({ headers, path: `${settingPath}?secret=1` });
  const [server, ...others] = spans().filter(({ kind }) => kind === serverKind);
  expect(others).toEqual([]);
  const route = '/organisations/features/verification';
  expect(server).toMatchObject({ traceId, parentSpanId: caller, name: `GET ${route}`, status: { code: 0 } });
  const { credentialId, ...line } = JSON.parse(watched.log[0] ?? '') as Record<string, unknown>;
  expect(line).toMatchObject({ requestId: 'my-request', traceId, spanId: server?.spanId });
  expect(server && attributesOf(server)).toEqual({
    'http.request.method': 'GET',
    'http.route': route,
    'http.response.status_code': 200,
    'document_analysis.operation_id': 'getVerificationSetting',
    'document_analysis.request_id': 'my-request',
    'document_analysis.credential_id': credentialId,
  });
  const calls = spans().filter(({ parentSpanId }) => parentSpanId === server?.spanId);
  expect(calls.map(({ name }) => name)).toEqual(['store.findCredential', 'store.readVerificationSetting']);
  expect(JSON.stringify(received)).not.toContain(watched.headers['x-api-key']);
  expect(JSON.stringify(received)).not.toContain('secret');
});

test('a request that the caller does not sample is not sent; without a trace it begins one, and without an operation is named by its method alone', async () => {
  const { log } = await afterRequest({ headers: { traceparent: `00-${traceId}-${caller}-00` } });
  expect([received, log[0]]).toEqual([[], expect.stringContaining(traceId)]);
  await afterRequest({ path: '/cases' });
  const [span] = spans();
  expect(span).toMatchObject({ name: 'GET', status: { code: 0 } });
  expect(span?.parentSpanId ?? '').toBe('');
  expect(span && attributesOf(span)).toMatchObject({ 'http.response.status_code': 404 });
});

test('a request that fails is a failed span, and so is the store call that made it fail', async () => {
  const readVerificationSetting = () => Promise.reject(new StoreUnavailableError('down'));
  await afterRequest({}, (store) => overrideStore(store, { readVerificationSetting }));
  const failed = spans().filter(({ status: { code } }) => code === errorStatus);
  expect(failed.map((span) => [span.name, attributesOf(span)['error.type']])).toEqual([
    ['store.readVerificationSetting', 'store'],
    ['GET /organisations/features/verification', '503'],
  ]);
});

test('a request whose client disconnects is a failed span', async () => {
  const [asked, response] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const watched = await start((store) =>
    overrideStore(store, {
      readVerificationSetting: async (id) => {
        asked.resolve(undefined);
        await response.promise;
        return store.readVerificationSetting(id);
      },
    }),
  );
  const aborted = new AbortController();
  const call = fetch(watched.url, { headers: watched.headers, signal: aborted.signal });
  await asked.promise;
  aborted.abort();
  await expect(call).rejects.toThrow();
  const server = () => spans().find(({ kind }) => kind === serverKind);
  while (!server()) await sleep(5);
  response.resolve(undefined);
  await watched.close();
  const span = server();
  expect(span).toMatchObject({ status: { code: errorStatus } });
  expect(span && attributesOf(span)).toMatchObject({ 'error.type': 'aborted' });
});

test('the service names itself, and the standard variables name it otherwise', async () => {
  const nameAfterRequest = async () => {
    await afterRequest();
    const resource = received.at(-1)?.resourceSpans[0]?.resource;
    return resource && attributesOf(resource);
  };
  expect(await nameAfterRequest()).toMatchObject({ 'service.name': 'document-analysis', 'service.version': '0.0.1' });
  process.env['OTEL_SERVICE_NAME'] = 'mine';
  expect(await nameAfterRequest()).toMatchObject({ 'service.name': 'mine' });
});

test('the collector gets the headers that the configuration names, from a file too', async () => {
  const folder = await TemporaryFolder.make();
  const path = await folder.write('headers', 'authorization=Bearer%20t0ken\n');
  await afterRequest({}, undefined, { OTEL_EXPORTER_OTLP_HEADERS_FILE: path });
  expect(authorization).toBe('Bearer t0ken');
});

test('a collector that fails costs one log line, and one more when it is back', async () => {
  const watched = await start();
  status = 400;
  for (let round = 1; round <= 3; round += 1) {
    expect((await fetch(watched.url, { headers: watched.headers })).status).toBe(200);
    while (received.length < round) await sleep(5);
    await sleep(50);
  }
  status = 200;
  await (await fetch(watched.url, { headers: watched.headers })).text();
  await watched.close();
  const told = watched.log.filter((line) => line.includes('traces'));
  const expected = ['traces cannot be delivered and are discarded', 'traces are delivered again'];
  expect(told.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(expected);
});

test('a collector that is out of reach does not keep the service from ending', async () => {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:1';
  const watched = await start();
  expect((await fetch(watched.url, { headers: watched.headers })).status).toBe(200);
  const startedAt = performance.now();
  await watched.close();
  expect(performance.now() - startedAt).toBeLessThan(12_000);
});
