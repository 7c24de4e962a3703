import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { AnalysisWorker } from '../../../src/analysis/analysis-worker.ts';
import type { RecheckReport } from '../../../src/analysis/recheck.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import type { RecheckStore } from '../../../src/store/recheck-store.ts';
import { type AnalysisHarness, startAnalysisHarness } from '../../support/analysis.ts';
import { setFeature } from '../../support/tenants.ts';

let harness: AnalysisHarness;
afterEach(() => harness.close());

const messages = () => harness.log.map((line) => (JSON.parse(line) as { msg: string }).msg);

/** A store with two files whose registry was unavailable, is there now, and is to be asked again. */
async function start() {
  let time = new Date('2026-03-02T12:00:00.000Z');
  let find: Registry['find'] = () => Promise.reject(new RegistryUnavailableError('it does not respond'));
  const registry: Registry = {
    name: 'the register',
    kinds: ['uk-company-number'],
    find: (...question) => find(...question),
  };
  harness = await startAnalysisHarness({
    now: () => time,
    verification: () => Promise.resolve({ registries: [registry], namesCompany: () => true }),
  });
  await setFeature(harness.store, harness.organisationId, true);
  await harness.setVerification(true);
  const files = [await harness.addFile('a'), await harness.addFile('b')];
  const worker = new AnalysisWorker(harness.parts);
  await worker.drainQueue();
  expect(await worker.evidence.countWaiting()).toBe(2);
  find = () => Promise.resolve(undefined);
  time = new Date('2026-03-02T12:01:00.000Z');
  return files;
}

test('a worker asks again about all files that are due when no file waits', async () => {
  const files = await start();
  const worker = new AnalysisWorker(harness.parts);
  const reports: RecheckReport[] = [];
  worker.evidence.onReport((report) => reports.push(report));
  await worker.drainQueue();
  expect(reports.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
  expect(reports.map(({ fileId }) => fileId).sort()).toEqual(files.sort());
  expect(await worker.evidence.countWaiting()).toBe(0);
});

test('a worker that watches goes on asking again when the store is back, and tells an outage once', async () => {
  await start();
  const { parts } = harness;
  let refusals = 2;
  const takeRecheck: RecheckStore['takeRecheck'] = (taking) =>
    (refusals -= 1) >= 0 ? Promise.reject(new StoreUnavailableError('away')) : parts.store.takeRecheck(taking);
  harness.log.splice(0);
  const worker = new AnalysisWorker({ ...parts, store: { ...parts.store, takeRecheck } });
  worker.watch();
  while (!messages().includes('evidence is kept up to date again')) await sleep(20);
  await worker.stop();
  expect(messages()).toEqual([
    'evidence is not kept up to date; retrying',
    'registries were asked again',
    'registries were asked again',
    'evidence is kept up to date again',
  ]);
});

test('a worker that watches deletes cached results whose evidence is too old, some each time', async () => {
  await start();
  const { parts, store, organisationId } = harness;
  const judged: Parameters<RecheckStore['pruneCachedResults']>[0][] = [];
  const pruneCachedResults: RecheckStore['pruneCachedResults'] = (pruning) => {
    judged.push(pruning);
    return parts.store.pruneCachedResults(pruning);
  };
  await store.saveCachedAnalysisResult({
    organisation_id: organisationId,
    content_sha256: new Uint8Array(32),
    result: { evidence: [{ edition: null, asked_at: '2026-03-01T12:00:59.999Z' }] },
    created_at: '2026-03-01T12:01:00.000Z',
  });
  const worker = new AnalysisWorker({ ...parts, store: { ...parts.store, pruneCachedResults } });
  worker.watch();
  while ((await store.countCachedAnalysisResults(organisationId)) !== 2) await sleep(20);
  await worker.stop();
  const bounds = { at: '2026-03-02T12:01:00.000Z', askedSince: '2026-03-01T12:01:00.000Z', limit: 500 };
  expect(judged).toEqual([{ ...bounds, after: undefined }]);
});

test('a worker that is stopped lets the file in hand come to its end, and takes no other', async () => {
  await start();
  const { parts } = harness;
  const worker = new AnalysisWorker(parts);
  let stopped: Promise<void> | undefined;
  worker.evidence.onReport(() => {
    stopped ??= worker.stop();
  });
  await worker.drainQueue();
  await stopped;
  expect(await worker.evidence.countWaiting()).toBe(1);
});
