import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Store } from '../../src/store/store.ts';
import { overrideStore } from '../support/override-store.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { connectionsWithin, descriptorLimit } from '../../src/cli/serve.ts';

const start = (environment: NodeJS.ProcessEnv = {}, wrap?: (store: Store) => Store) =>
  startWatchedService({ OPS_PORT: undefined, ...environment }, wrap);
afterEach(() => {
  jest.useRealTimers();
});

test('a service closes connections that stay silent for a second while it closes', async () => {
  const { service } = await start();
  const client = connect(service.port, '127.0.0.1');
  await once(client, 'connect');
  const ended = once(client, 'close');
  await service.close();
  await ended;
  expect(client.bytesRead).toBe(0);
});

test('a service breaks off the requests that are not done ten seconds after it was told to close', async () => {
  const stuck = (store: Store): Store =>
    overrideStore(store, { readVerificationSetting: () => new Promise(() => undefined) });
  const { service, headers, url } = await start({}, stuck);
  const outcome = fetch(url, { headers }).then(
    () => 'responded',
    () => 'broken off',
  );
  await sleep(100);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const closed = service.close();
  await jest.advanceTimersByTimeAsync(9_999);
  expect(await Promise.race([outcome, sleep(100, 'in flight')])).toBe('in flight');
  await jest.advanceTimersByTimeAsync(1);
  expect(await outcome).toBe('broken off');
  await closed;
  expect(jest.getTimerCount()).toBe(0);
});

test('a service tells that a host is not of this machine, or a port is taken, and what to do', async () => {
  await expect(start({ HOST: '192.0.2.1' })).rejects.toThrow(/^Cannot listen on 192\.0\.2\.1: .*EADDRNOTAVAIL/);
  const PORT = String((await start()).service.port);
  const told = `Cannot listen on 127.0.0.1: the port ${PORT} is in use. Choose another address with --host and --port (HOST, PORT).`;
  await expect(start({ PORT })).rejects.toThrow(told);
});

test.each([
  ['what is configured, if there are enough', 65_536, {}, 10_000],
  ['what is configured, if nothing bounds them', Infinity, {}, 10_000],
  ['what is left beside the process', 256, {}, 192],
  ['what is left beside the operations port', 256, { OPS_PORT: '9090' }, 92],
  ['what is left beside a database', 256, { DATABASE_URL: 'postgres://user@primary/database' }, 182],
  ['a quarter, if hardly any are left', 128, { OPS_PORT: '9090' }, 32],
  ['less, if that is configured', 256, { MAX_CONNECTIONS: '50' }, 50],
])('the bound on connections is %s', (_what, limit, environment, expected) => {
  expect(connectionsWithin(limit, readConfig(environment))).toBe(expected);
});

test('the limit of this process is read from the system, as Node.js reports it', () => {
  const { userLimits } = process.report.getReport() as unknown as {
    userLimits: { open_files: { soft: number | string } };
  };
  const { soft } = userLimits.open_files;
  expect(descriptorLimit()).toBe(soft === 'unlimited' ? Infinity : soft);
});
