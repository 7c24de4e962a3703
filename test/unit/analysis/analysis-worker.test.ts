import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { AnalysisReport } from '../../../src/analysis/analyse-next.ts';
import { AnalysisWorker } from '../../../src/analysis/analysis-worker.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Turn } from '../../../src/store/parts/leases.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { type AnalysisHarness, startAnalysisHarness } from '../../support/analysis.ts';
import { failing, heldReadings, register } from './fixture.ts';
import { overrideStore } from '../../support/override-store.ts';

let harness: AnalysisHarness;

const messages = () => harness.log.map((line) => (JSON.parse(line) as { msg: string }).msg);
const statusesOf = (files: string[]) =>
  Promise.all(files.map(async (file) => (await harness.read(file)).analysis_status));

test.each([
  ['the store is back', 3, new StoreUnavailableError('away')],
  ['what nobody expects of a store', 1, new TypeError('a defect')],
])('a worker that watches goes on after %s, and tells it once', async (_, times, error) => {
  harness = await startAnalysisHarness();
  const worker = new AnalysisWorker(failing(harness.parts, 'takeAnalysis', times, error));
  const reports: AnalysisReport[] = [];
  worker.reports.on('analysed', (report) => reports.push(report));
  const fileId = await harness.addFile('text');
  worker.watch();
  while (!messages().includes('analyses continue')) await sleep(20);
  await worker.stop();
  expect(reports).toMatchObject([{ fileId, outcome: 'complete' }]);
  expect(messages()).toEqual(['analyses have stopped; retrying', 'analysed', 'analyses continue']);
  expect(harness.log[0]).toContain(error.message);
});

test('a worker that is stopped lets the file in hand come to its end, and takes no other', async () => {
  const { readDocument, untilBegun, release } = heldReadings();
  harness = await startAnalysisHarness({ readDocument });
  const worker = new AnalysisWorker(harness.parts);
  const files = [await harness.addFile('first'), await harness.addFile('second')];
  const working = worker.drainQueue();
  await untilBegun();
  const stopped = worker.stop();
  release();
  await Promise.all([working, stopped]);
  expect(await statusesOf(files)).toEqual(['analysis_complete', 'waiting_for_analysis']);
  expect(await worker.countWaiting()).toBe(1);
});

test('a worker has as many files in hand as it may, and says whose turn it is', async () => {
  const { readDocument, untilBegun, release } = heldReadings();
  harness = await startAnalysisHarness({ readDocument });
  const { parts, organisationId } = harness;
  const turns: (Turn | undefined)[] = [];
  const takeAnalysis: Store['takeAnalysis'] = (taking) => {
    turns.push(taking.turn);
    return parts.store.takeAnalysis(taking);
  };
  const files = [await harness.addFile('first'), await harness.addFile('second'), await harness.addFile('third')];
  const worker = new AnalysisWorker({ ...parts, store: overrideStore(parts.store, { takeAnalysis }) }, 2);
  const working = worker.drainQueue();
  await untilBegun(2);
  expect(await worker.countWaiting()).toBe(1);
  expect(turns).toEqual([
    { after: '', busy: [] },
    { after: organisationId, busy: [organisationId] },
  ]);
  release();
  await working;
  expect(await statusesOf(files)).toEqual(Array(3).fill('analysis_complete'));
});

test('a worker brings what it has in hand to its end before it tells that it cannot go on', async () => {
  const { readDocument, untilBegun, release } = heldReadings();
  harness = await startAnalysisHarness({ readDocument });
  const { parts } = harness;
  let taken = 0;
  const takeAnalysis: Store['takeAnalysis'] = (taking) =>
    (taken += 1) > 1 ? Promise.reject(new StoreUnavailableError('away')) : parts.store.takeAnalysis(taking);
  const fileId = await harness.addFile('text');
  const working = new AnalysisWorker({ ...parts, store: overrideStore(parts.store, { takeAnalysis }) }, 2).drainQueue();
  await untilBegun();
  release();
  await expect(working).rejects.toThrow('away');
  expect(await statusesOf([fileId])).toEqual(['analysis_complete']);
});

test('a worker of which two files have a registry that was unavailable and responds now and watches goes on when the store is back, tells an outage once, and prunes cached results', async () => {
  let time = new Date('2026-03-02T12:00:00.000Z');
  const { registry, respondWith } = register();
  harness = await startAnalysisHarness({
    now: () => time,
    verification: () => Promise.resolve({ registries: [registry], namesCompany: () => true }),
  });
  await harness.setVerification(true);
  for (const text of ['a', 'b']) await harness.addFile(text);
  const earlier = new AnalysisWorker(harness.parts);
  await earlier.drainQueue();
  expect(await earlier.countRechecks()).toBe(2);
  respondWith(() => Promise.resolve(undefined));
  time = new Date('2026-03-02T12:01:00.000Z');
  harness.log.splice(0);
  const { parts, store, organisationId } = harness;
  const prunings: unknown[] = [];
  const pruneCachedResults: Store['pruneCachedResults'] = (pruning) => {
    prunings.push(pruning);
    return parts.store.pruneCachedResults(pruning);
  };
  await store.saveCachedAnalysisResult({
    organisation_id: organisationId,
    content_sha256: new Uint8Array(32),
    result: { evidence: [{ edition: null, asked_at: '2026-03-01T12:00:59.999Z' }] },
    created_at: '2026-03-01T12:01:00.000Z',
  });
  const unreliable = failing(parts, 'takeRecheck', 2);
  const worker = new AnalysisWorker({ ...parts, store: overrideStore(unreliable.store, { pruneCachedResults }) });
  worker.watch();
  while (!messages().includes('updates of evidence continue')) await sleep(20);
  await worker.stop();
  expect(messages()).toEqual([
    'updates of evidence have stopped; retrying',
    'registries were asked again',
    'registries were asked again',
    'updates of evidence continue',
  ]);
  const bounds = { at: '2026-03-02T12:01:00.000Z', askedSince: '2026-03-01T12:01:00.000Z', limit: 500 };
  expect(prunings).toEqual([{ ...bounds, after: undefined }]);
  expect(await store.countCachedAnalysisResults(organisationId)).toBe(2);
});
