import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { watchCredentials } from '../../../src/runtime/metrics/analyses.ts';
import { openTemporaryStore } from '../../support/temporary-store.ts';
import { parseMetrics } from '../../support/prometheus.ts';
import { addCredential, addOrganisation } from '../../support/tenants.ts';

const read = async (registry: Registry) =>
  parseMetrics(await registry.metrics()).map(({ name, value }) => [name, value]);

test('the metrics tell when the next credential expires, if one does', async () => {
  const store = openTemporaryStore();
  const organisation = await addOrganisation(store);
  const registry = new Registry();
  let now = new Date('2026-03-02T12:00:00.000Z');
  watchCredentials({ store, now: () => now }, registry);
  const add = (expiresAt: string | null) =>
    addCredential(store, organisation, { kind: 'access-token', role: null, expires_at: expiresAt });
  await add(null);
  expect(await read(registry)).toEqual([]);
  await add('2026-03-02T13:00:00.000Z');
  await add('2036-03-02T13:00:00.000Z');
  const name = 'credential_next_expiry_timestamp_seconds';
  expect(await read(registry)).toEqual([[name, Date.parse('2026-03-02T13:00:00.000Z') / 1000]]);
  now = new Date('2026-03-02T13:00:00.000Z');
  expect(await read(registry)).toEqual([[name, Date.parse('2036-03-02T13:00:00.000Z') / 1000]]);
  now = new Date('2037-01-01T00:00:00.000Z');
  expect(await read(registry)).toEqual([]);
  await store.close();
});

test('it is left out while the store is unavailable', async () => {
  const registry = new Registry();
  const store = { listExpiringCredentials: () => Promise.reject(new Error('away')) };
  watchCredentials({ store, now: () => new Date() }, registry);
  expect(await read(registry)).toEqual([]);
});
