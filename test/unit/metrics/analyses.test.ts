import { beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { AnalysisWorker } from '../../../src/analysis/analysis-worker.ts';
import { RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { watchAnalyses, watchCredentials } from '../../../src/runtime/metrics.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { type AnalysisHarness, startAnalysisHarness } from '../../support/analysis.ts';
import { addCredential, addOrganisation, setFeature } from '../../support/tenants.ts';
import { parseMetrics } from '../../support/prometheus.ts';
import { overrideStore } from '../../support/override-store.ts';

let harness: AnalysisHarness;
let registry: Registry;
beforeEach(async () => {
  harness = await startAnalysisHarness();
  registry = new Registry();
});

const read = async (name: string) =>
  parseMetrics(await registry.metrics()).flatMap((one) =>
    one.name === name ? [[one.labels['outcome'], one.value]] : [],
  );

test('the metrics count the files that wait, and the analyses by their outcome, from zero on', async () => {
  const worker = new AnalysisWorker(harness.parts);
  watchAnalyses(worker, registry);
  await harness.addFile('same');
  await harness.addFile('same');
  expect(await read('file_analysis_waiting_files')).toEqual([[undefined, 2]]);
  const counts = (complete: number, from_cache: number) =>
    Object.entries({ complete, from_cache, failed: 0, lost: 0, given_back: 0 });
  expect(await read('file_analysis_duration_seconds_count')).toEqual(counts(0, 0));
  await worker.drainQueue();
  expect(await read('file_analysis_duration_seconds_count')).toEqual(counts(1, 1));
  expect(await read('file_analysis_waiting_files')).toEqual([[undefined, 0]]);
});

test.each([
  ['does not respond', () => new Promise<never>(() => undefined)],
  ['is unavailable', () => Promise.reject(new StoreUnavailableError('away'))],
])('while the store %s, all metrics are told but how many files wait', async (_, countWaitingAnalyses) => {
  const { parts } = harness;
  watchAnalyses(
    new AnalysisWorker({ ...parts, store: overrideStore(parts.store, { countWaitingAnalyses }) }),
    registry,
  );
  expect(await read('file_analysis_waiting_files')).toEqual([]);
  expect(await read('file_analysis_duration_seconds_count')).toHaveLength(5);
});

test('the metrics count how often registries were asked again, from zero on, and the files that wait for it', async () => {
  let responds = false;
  const find = () =>
    responds ? Promise.resolve(undefined) : Promise.reject(new RegistryUnavailableError('it does not respond'));
  const registries = [{ name: 'the register', kinds: ['uk-company-number' as const], find }];
  let now = new Date('2026-03-02T12:00:00.000Z');
  const own = await startAnalysisHarness({
    now: () => now,
    verification: () => Promise.resolve({ registries, namesCompany: () => true }),
  });
  await setFeature(own.store, own.organisationId, true);
  await own.setVerification(true);
  await own.addFile('text');
  const worker = new AnalysisWorker(own.parts);
  watchAnalyses(worker, registry);
  const counts = (postponed: number, complete: number) =>
    Object.entries({ complete, postponed, given_up: 0, lost: 0, given_back: 0 });
  await worker.drainQueue();
  expect(await read('file_analysis_rechecks_total')).toEqual(counts(0, 0));
  expect(await read('file_analysis_recheck_waiting_files')).toEqual([[undefined, 1]]);
  for (const step of [counts(1, 0), counts(1, 1)]) {
    now = new Date(now.getTime() + 600_000);
    await worker.drainQueue();
    responds = true;
    expect(await read('file_analysis_rechecks_total')).toEqual(step);
  }
  expect(await read('file_analysis_recheck_waiting_files')).toEqual([[undefined, 0]]);
});

test('the metrics tell when the next credential expires, if one does, and not while the store is unavailable', async () => {
  const { store } = harness;
  const organisation = await addOrganisation(store);
  let [now, isAway] = [new Date('2026-03-02T12:00:00.000Z'), false];
  const listExpiringCredentials: typeof store.listExpiringCredentials = (...asked) =>
    isAway ? Promise.reject(new StoreUnavailableError('away')) : store.listExpiringCredentials(...asked);
  watchCredentials({ store: { listExpiringCredentials }, now: () => now }, registry);
  const told = async () => (await read('credential_next_expiry_timestamp_seconds')).map(([, value]) => value);
  const [soon, late] = ['2026-03-02T13:00:00.000Z', '2036-03-02T13:00:00.000Z'];
  const add = (expires_at: string | null) =>
    addCredential(store, organisation, { kind: 'access-token', role: null, expires_at });
  await add(null);
  expect(await told()).toEqual([]);
  for (const expiry of [soon, late]) await add(expiry);
  expect(await told()).toEqual([Date.parse(soon) / 1000]);
  now = new Date(soon);
  expect(await told()).toEqual([Date.parse(late) / 1000]);
  isAway = true;
  expect(await told()).toEqual([]);
  [now, isAway] = [new Date('2037-01-01T00:00:00.000Z'), false];
  expect(await told()).toEqual([]);
});
