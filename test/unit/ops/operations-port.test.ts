import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { fileAccess } from '../../../src/files/file-access.ts';
import { startOpsServer } from '../../../src/runtime/ops-server.ts';
import type { Store } from '../../../src/store/store.ts';
import { afterwards } from '../../support/afterwards.ts';
import { listenOnFreePort } from '../../support/listen-on-free-port.ts';
import { startWatchedService } from '../../support/watched-service.ts';
import { overrideStore } from '../../support/override-store.ts';

const ready = { status: 200, text: '{"status":"ready"}' };
const notReady = (part: string) => ({ status: 503, text: `{"status":"not ready","not_ready":["${part}"]}` });

const messages = (log: string[]) => log.map((line) => (JSON.parse(line) as { msg: string }).msg);

test('the operations port tells that the process is alive and the service ready, and has nothing else', async () => {
  const { ops, service } = await startWatchedService({});
  expect(await ops('/healthz')).toEqual({ status: 200, text: '{"status":"alive"}' });
  expect(await ops('/readyz')).toEqual(ready);
  expect(await ops('/readyz?verbose', { method: 'HEAD' })).toEqual({ status: 200, text: '' });
  const paths = '{"status":"not found","paths":["/healthz","/readyz","/metrics"]}';
  expect(await ops('/')).toEqual({ status: 404, text: paths });
  const refused = await fetch(`http://127.0.0.1:${service.opsPort}/metrics`, { method: 'POST' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  for (const expectation of ['100-continue', 'a miracle']) {
    const asking = connect(service.opsPort ?? 0, '127.0.0.1').setEncoding('utf8');
    asking.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: ${expectation}\r\nConnection: close\r\n\r\n`);
    expect(String(await once(asking, 'data'))).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  }
});

test('the operations port tells that the service is not ready while its database has not the schema it needs', async () => {
  const { ops, databasePath, log } = await startWatchedService({});
  const other = new Sqlite(databasePath);
  const version = other.pragma('user_version', { simple: true }) as number;
  other.pragma('user_version = 0');
  expect([await ops('/readyz'), await ops('/readyz')]).toEqual([notReady('store'), notReady('store')]);
  expect(await ops('/healthz')).toMatchObject({ status: 200 });
  other.pragma(`user_version = ${version}`);
  other.close();
  expect(await ops('/readyz')).toEqual(ready);
  expect(messages(log)).toEqual(['not ready: the store is unavailable', 'ready again: the store is available']);
});

test('the operations port tells within two seconds that the store hangs, asks it once, and tells when it has come back', async () => {
  let [hangs, asked, respond]: [boolean, number, () => void] = [true, 0, () => undefined];
  const hanging = (store: Store): Store =>
    overrideStore(store, {
      check: () => {
        asked += 1;
        return hangs ? new Promise((resolve) => (respond = resolve)) : store.check();
      },
    });
  const { ops } = await startWatchedService({}, hanging);
  expect(await Promise.all([ops('/readyz'), ops('/readyz')])).toEqual([notReady('store'), notReady('store')]);
  expect(asked).toBe(1);
  const probe = ops('/readyz');
  await sleep(100);
  // The probe may not have come yet.
  hangs = false;
  respond();
  expect(await probe).toEqual(ready);
});

test('the operations port tells that the service is not ready before it stops to accept requests', async () => {
  const { ops, service, url, headers } = await startWatchedService({ DRAIN_DELAY_SECONDS: '1' });
  const closed = service.close();
  expect(await ops('/readyz')).toEqual(notReady('serving'));
  expect((await fetch(url, { headers })).status).toBe(200);
  await closed;
  await expect(fetch(url, { headers })).rejects.toThrow();
  await expect(ops('/healthz')).rejects.toThrow();
});

test('the operations port tells within two seconds that the files hang, or cannot be read, which leaves the service ready, and tells when they respond again', async () => {
  const { ops, databasePath, log } = await startWatchedService({});
  let recover = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (recover = resolve));
  for (let place = 0; place < 2; place += 1) fileAccess.runEventually(() => hanging);
  const degraded = { status: 200, text: '{"status":"ready","degraded":["files"]}' };
  expect(await Promise.all([ops('/readyz'), ops('/readyz')])).toEqual([degraded, degraded]);
  recover();
  expect(await ops('/readyz')).toEqual(ready);
  expect(messages(log)).toEqual(['the files do not respond', 'the files respond again']);
  await writeFile(join(dirname(databasePath), 'document-analysis-uk-files'), '');
  expect(await ops('/readyz')).toEqual(degraded);
  expect(log.join()).toContain('ENOTDIR');
});

test('the operations port responds with 500 when it cannot tell, says why in the log alone, and goes on', async () => {
  const log: string[] = [];
  let failing = true;
  const server = await startOpsServer(
    { host: '127.0.0.1', port: 0 },
    {
      notReady: () => (failing ? Promise.reject(new Error('nothing responds')) : Promise.resolve([])),
      degraded: () => Promise.resolve([]),
      metrics: () => Promise.reject(new Error('nothing responds')),
    },
    pino({ base: null }, { write: (line: string) => log.push(line) }),
  );
  afterwards(() => server.close());
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return [response.status, await response.text()];
  };
  for (const path of ['/readyz', '/metrics']) expect(await get(path)).toEqual([500, '{"status":"failed"}']);
  expect(log.every((line) => line.includes('nothing responds'))).toBe(true);
  failing = false;
  expect(await get('/readyz')).toEqual([200, '{"status":"ready"}']);
});

test('the operations port responds to whoever asks while others hold more connections than it has', async () => {
  const { ops, service } = await startWatchedService({});
  const held = Array.from({ length: 150 }, () => connect(service.opsPort ?? 0, '127.0.0.1').on('error', () => 0));
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  while (held.filter(({ destroyed }) => destroyed).length < 50) await sleep(10);
  expect(await ops('/healthz')).toMatchObject({ status: 200 });
  expect(held.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(100);
  for (const socket of held) socket.destroy();
});

test('the operations port ends a connection whose headers never end', async () => {
  const { service } = await startWatchedService({});
  const slow = connect(service.opsPort ?? 0, '127.0.0.1', () => slow.write('GET /healthz HTTP/1.1\r\n')).resume();
  const begun = performance.now();
  await once(slow, 'close');
  expect(performance.now() - begun).toBeLessThan(30_000);
});

test('the operations port that is taken stops the start, with what to do', async () => {
  const { url } = await listenOnFreePort(createServer());
  const advice = 'Choose another address with OPS_HOST and OPS_PORT.';
  await expect(startWatchedService({ OPS_PORT: new URL(url).port })).rejects.toThrow(advice);
});
