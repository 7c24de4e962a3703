import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { parseMetrics, parsePromQl, type Series } from '../support/prometheus.ts';
import { addCredential, addOrganisation } from '../support/tenants.ts';
import { startWatchedService, type WatchedService } from '../support/watched-service.ts';
import { overrideStore } from '../support/override-store.ts';
import type { AnalysisWorker } from '../../src/analysis/analysis-worker.ts';
import type { ListedCredential } from '../../src/domain/credential.ts';
import type { Store } from '../../src/store/store.ts';
import { watchAnalyses, watchCredentials } from '../../src/runtime/metrics.ts';

let failing = false;
let watched: WatchedService;
let series: Series[];
beforeAll(async () => {
  watched = await startWatchedService({ MAX_CONNECTIONS: '10' }, (store) =>
    overrideStore(store, {
      readVerificationSetting: (id) =>
        failing ? Promise.reject(new StoreUnavailableError('down')) : store.readVerificationSetting(id),
      poolState: () => ({ total: 3, idle: 2, waiting: 1 }),
    }),
  );
  const { url, headers, service, store } = watched;
  const expiring = { kind: 'access-token', role: null, expires_at: '2099-01-01T00:00:00.000Z' } as const;
  await addCredential(store, await addOrganisation(store), expiring);
  const get = async (address: string, init: RequestInit) => (await fetch(address, init)).text();
  await get(url, { headers });
  await get(url, {});
  const json = { ...headers, 'content-type': 'application/json' };
  await get(url, { method: 'PUT', headers: json, body: '{"enabled": true}' });
  await get(`http://127.0.0.1:${service.port}/some/path/that/nobody/knows`, {});
  failing = true;
  await get(url, { headers });
  const cut = connect(service.port, '127.0.0.1');
  await once(cut, 'connect');
  cut.write(`PUT ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nx-api-key: ${headers['x-api-key']}\r\n`);
  cut.write('Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
  while (valueOf('http_server_active_requests', {}, (series = await read())) === 0) await sleep(5);
  cut.resetAndDestroy();
  while (valueOf('http_server_active_requests', {}, (series = await read())) === 1) await sleep(5);
});

const read = async () => parseMetrics((await watched.ops('/metrics')).text);

function valueOf(name: string, labels: Record<string, string>, among = series): number | undefined {
  const has = (one: Series) => Object.entries(labels).every(([label, value]) => one.labels[label] === value);
  return among.find((one) => one.name === name && has(one))?.value;
}

test.each([
  ['getVerificationSetting', '200', 1],
  ['getVerificationSetting', '401', 1],
  ['getVerificationSetting', '503', 1],
  ['updateVerificationSetting', '200', 1],
  ['updateVerificationSetting', 'aborted', 1],
  ['none', '404', 1],
])('the metrics count the requests of %s that got %s, and time them', (operationId, status, count) => {
  const labels = { operation_id: operationId, status };
  expect(valueOf('http_server_request_duration_seconds_count', labels)).toBe(count);
  expect(valueOf('http_server_request_duration_seconds_sum', labels)).toBeGreaterThan(0);
});

test('the metrics count and time the calls of the store, the failed ones apart', () => {
  const calls = (method: string, outcome: string) => valueOf('store_call_duration_seconds_count', { method, outcome });
  expect(calls('findCredential', 'done')).toBe(4);
  expect(calls('updateVerificationSetting', 'done')).toBe(1);
  expect(calls('readVerificationSetting', 'done')).toBe(1);
  expect(calls('readVerificationSetting', 'failed')).toBe(1);
});

test("the metrics tell how the store's pool is used", () => {
  const pool = ['total', 'idle', 'waiting'].map((state) => valueOf('store_pool_connections', { state }));
  expect(pool).toEqual([3, 2, 1]);
});

test('the metrics count the connections that are open, and those that were closed because too many were', async () => {
  const sockets = Array.from({ length: 12 }, () => connect(watched.service.port, '127.0.0.1'));
  while ((valueOf('http_server_dropped_connections_total', {}, await read()) ?? 0) < 2) await sleep(5);
  expect(valueOf('http_server_open_connections', {}, await read())).toBe(10);
  for (const socket of sockets) socket.destroy();
});

test('under four times the load that it bears, a server serves what it can, refuses the rest at once, counts that, and recovers', async () => {
  const limit = 5;
  let [asked, respond]: [number, () => void] = [0, () => undefined];
  const gate = new Promise<void>((resolve) => (respond = resolve));
  const busy = await startWatchedService({ MAX_CONCURRENT_REQUESTS: String(limit) }, (store) =>
    overrideStore(store, {
      readVerificationSetting: async (id) => {
        asked += 1;
        await gate;
        return store.readVerificationSetting(id);
      },
    }),
  );
  const send = async (url = busy.url, init: RequestInit = { headers: busy.headers }) => {
    const response = await fetch(url, init);
    return [response.status, response.headers.get('retry-after'), response.headers.has('ratelimit')];
  };
  const served = Array.from({ length: limit }, () => send());
  while (asked < limit) await sleep(5);
  const others = [send(busy.url, { method: 'PUT' }), send(new URL('/unknown', busy.url).href)];
  // They are refused before they are counted, or their callers looked up.
  const refused = await Promise.all([...others, ...Array.from({ length: 3 * limit }, () => send())]);
  respond();
  for (const each of refused) expect(each).toEqual([503, '5', false]);
  expect(asked).toBe(limit);
  for (const each of await Promise.all(served)) expect(each).toEqual([200, null, true]);
  for (let round = 0; round < 2 * limit; round += 1) expect(await send()).toEqual([200, null, true]);
  const { text } = await busy.ops('/metrics');
  expect(valueOf('http_server_overload_refusals_total', {}, parseMetrics(text))).toBe(3 * limit + 2);
  expect(busy.log.filter((line) => line.includes('"overloaded":true'))).toHaveLength(3 * limit + 2);
});

test('the metrics have labels with few values, whatever callers send: no path, identifier or credential', async () => {
  const { text } = await watched.ops('/metrics');
  expect(text).not.toContain('nobody');
  expect(text).not.toContain(watched.headers['x-api-key']);
});

const { panels } = JSON.parse(readFileSync('ops/grafana/document-analysis.json', 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));
/** Those that Prometheus itself puts on what it reads. */
const targetLabels = ['job', 'instance'];

test.each(queries)('the dashboard shows in "%s" metrics and labels that there are: %s', (_title, expr) => {
  const { metrics, labels } = parsePromQl(expr);
  expect(metrics).not.toEqual([]);
  for (const metric of metrics) {
    const found = series.filter(({ name }) => name === metric);
    expect([metric, found.length > 0]).toEqual([metric, true]);
    const known = new Set([...targetLabels, ...found.flatMap((one) => Object.keys(one.labels))]);
    for (const label of labels) expect([...known]).toContain(label);
  }
});

test('the dashboard shows every metric of the service itself', () => {
  const shown = new Set(queries.flatMap(([, expr]) => parsePromQl(expr).metrics));
  const own = series
    .map(({ name }) => name)
    .filter((name) => /^(http_server|store|file_analysis|credential)_/.test(name));
  const missed = own.filter((name) => !/_(sum|count|bucket)$/.test(name) && !shown.has(name));
  expect(missed).toEqual([]);
  expect([...shown]).toContain('store_call_duration_seconds_bucket');
});

describe('by a registry of their own', () => {
  let registry: Registry;
  beforeEach(() => {
    registry = new Registry();
  });
  const valuesOf = async (name: string) =>
    parseMetrics(await registry.metrics()).flatMap((one) =>
      one.name === name ? [[one.labels['outcome'], one.value]] : [],
    );

  test('the metrics count analyses, and how often registries were asked again, by their outcome, from zero on, and the files that wait', async () => {
    const reports: AnalysisWorker['reports'] = new EventEmitter();
    const worker = { reports, countWaiting: () => Promise.resolve(2), countRechecks: () => Promise.resolve(1) };
    watchAnalyses(worker, registry);
    for (const times of [0, 1]) {
      const analyses = { complete: 0, from_cache: times, failed: 0, lost: 0, given_back: 0 };
      expect(await valuesOf('file_analysis_duration_seconds_count')).toEqual(Object.entries(analyses));
      const rechecks = { complete: 0, postponed: times, given_up: 0, lost: 0, given_back: 0 };
      expect(await valuesOf('file_analysis_rechecks_total')).toEqual(Object.entries(rechecks));
      reports.emit('analysed', { fileId: 'a', outcome: 'from_cache', durationMs: 1 });
      reports.emit('asked', { fileId: 'a', outcome: 'postponed' });
    }
    expect(await valuesOf('file_analysis_waiting_files')).toEqual([[undefined, 2]]);
    expect(await valuesOf('file_analysis_recheck_waiting_files')).toEqual([[undefined, 1]]);
    const away = () => Promise.reject(new StoreUnavailableError('away'));
    for (const countWaiting of [() => new Promise<never>(() => undefined), away]) {
      Object.assign(worker, { countWaiting });
      expect(await valuesOf('file_analysis_waiting_files')).toEqual([]);
      expect(await valuesOf('file_analysis_recheck_waiting_files')).toHaveLength(1);
    }
  });

  test('the metrics tell when the next credential expires, if one does, and not while the store is unavailable', async () => {
    const expires_at = '2026-03-02T13:00:00.000Z';
    const listExpiringCredentials = jest
      .fn<Store['listExpiringCredentials']>()
      .mockResolvedValueOnce([{ expires_at } as ListedCredential])
      .mockResolvedValueOnce([])
      .mockRejectedValueOnce(new StoreUnavailableError('away'));
    const now = new Date('2026-03-02T12:00:00.000Z');
    watchCredentials({ store: { listExpiringCredentials }, now: () => now }, registry);
    const told = () => valuesOf('credential_next_expiry_timestamp_seconds');
    expect(await told()).toEqual([[undefined, Date.parse(expires_at) / 1000]]);
    expect([await told(), await told()]).toEqual([[], []]);
    const period = { from: now.toISOString(), until: '9999-12-31T23:59:59.999Z', limit: 1 };
    expect(listExpiringCredentials).toHaveBeenCalledWith(period);
  });
});
