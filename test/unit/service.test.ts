import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Store } from '../../src/store/store.ts';
import { overrideStore } from '../support/override-store.ts';
import { startWatchedService } from '../support/watched-service.ts';

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

test('a service tells that a host is not of this machine', async () => {
  await expect(start({ HOST: '192.0.2.1' })).rejects.toThrow(/^Cannot listen on 192\.0\.2\.1: .*EADDRNOTAVAIL/);
});
