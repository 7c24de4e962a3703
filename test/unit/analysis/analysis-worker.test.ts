import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import type { AnalysisReport } from '../../../src/analysis/analyse-next.ts';
import { AnalysisWorker } from '../../../src/analysis/analysis-worker.ts';
import type { ReadDocument } from '../../../src/analysis/extraction/document.ts';
import type { AnalysisStore, Turn } from '../../../src/store/analysis-store.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { type AnalysisHarness, startAnalysisHarness } from '../../support/analysis.ts';

let harness: AnalysisHarness;
afterEach(() => harness.close());

const messages = () => harness.log.map((line) => (JSON.parse(line) as { msg: string }).msg);

test('a worker that watches goes on when the store is back, and tells an outage once', async () => {
  harness = await startAnalysisHarness();
  const { parts } = harness;
  let refusals = 3;
  const worker = new AnalysisWorker({
    ...parts,
    store: {
      ...parts.store,
      takeAnalysis: (taking) =>
        (refusals -= 1) >= 0 ? Promise.reject(new StoreUnavailableError('away')) : parts.store.takeAnalysis(taking),
    },
  });
  const reports: AnalysisReport[] = [];
  worker.onReport((report) => reports.push(report));
  const fileId = await harness.addFile('text');
  worker.watch();
  while (!messages().includes('analyses continue')) await sleep(20);
  await worker.stop();
  expect(reports).toMatchObject([{ fileId, outcome: 'complete' }]);
  expect(messages()).toEqual(['analyses have stopped; retrying every second', 'analysed', 'analyses continue']);
});

test('a worker that watches survives what nobody expects of a store', async () => {
  harness = await startAnalysisHarness();
  const { parts } = harness;
  let defects = 1;
  const worker = new AnalysisWorker({
    ...parts,
    store: {
      ...parts.store,
      takeAnalysis: (taking) =>
        (defects -= 1) >= 0 ? Promise.reject(new TypeError('a defect')) : parts.store.takeAnalysis(taking),
    },
  });
  await harness.addFile('text');
  worker.watch();
  while (!messages().includes('analysed')) await sleep(20);
  await worker.stop();
  expect(harness.log.join()).toContain('a defect');
});

test('a worker without --watch tells the caller that the store is unavailable', async () => {
  harness = await startAnalysisHarness();
  const { parts } = harness;
  const takeAnalysis = () => Promise.reject(new StoreUnavailableError('away'));
  const worker = new AnalysisWorker({ ...parts, store: { ...parts.store, takeAnalysis } });
  await expect(worker.drainQueue()).rejects.toThrow('away');
  await worker.stop();
});

test('a worker that is stopped lets the file in hand come to its end, and takes no other', async () => {
  const [begun, released] = [new EventEmitter(), new EventEmitter()];
  const begin = once(begun, 'now');
  const release = once(released, 'now');
  harness = await startAnalysisHarness({
    readDocument: async () => {
      begun.emit('now');
      await release;
      return { outcome: 'no_text', pages: null };
    },
  });
  const worker = new AnalysisWorker(harness.parts);
  const [first, second] = [await harness.addFile('first'), await harness.addFile('second')];
  const working = worker.drainQueue();
  await begin;
  const stopped = worker.stop();
  released.emit('now');
  await Promise.all([working, stopped]);
  expect((await harness.read(first)).analysis_status).toBe('analysis_complete');
  expect((await harness.read(second)).analysis_status).toBe('waiting_for_analysis');
  expect(await worker.countWaiting()).toBe(1);
});

test('a worker has as many files in hand as it may, and says whose turn it is', async () => {
  const { reading, begun, release } = heldReadings();
  harness = await startAnalysisHarness({ readDocument: reading });
  const { parts, organisationId } = harness;
  const turns: (Turn | undefined)[] = [];
  const takeAnalysis: AnalysisStore['takeAnalysis'] = (taking) => {
    turns.push(taking.turn);
    return parts.store.takeAnalysis(taking);
  };
  const files = [await harness.addFile('first'), await harness.addFile('second'), await harness.addFile('third')];
  const worker = new AnalysisWorker({ ...parts, store: { ...parts.store, takeAnalysis } }, 2);
  const working = worker.drainQueue();
  while (begun() < 2) await sleep(5);
  expect(await worker.countWaiting()).toBe(1);
  expect(turns).toEqual([
    { after: '', busy: [] },
    { after: organisationId, busy: [organisationId] },
  ]);
  release();
  await working;
  for (const file of files) expect((await harness.read(file)).analysis_status).toBe('analysis_complete');
});

test('a worker brings what it has in hand to its end before it tells that it cannot go on', async () => {
  const { reading, begun, release } = heldReadings();
  harness = await startAnalysisHarness({ readDocument: reading });
  const { parts } = harness;
  let taken = 0;
  const takeAnalysis: AnalysisStore['takeAnalysis'] = (taking) =>
    (taken += 1) > 1 ? Promise.reject(new StoreUnavailableError('away')) : parts.store.takeAnalysis(taking);
  const fileId = await harness.addFile('text');
  const working = new AnalysisWorker({ ...parts, store: { ...parts.store, takeAnalysis } }, 2).drainQueue();
  while (begun() < 1) await sleep(5);
  release();
  await expect(working).rejects.toThrow('away');
  expect((await harness.read(fileId)).analysis_status).toBe('analysis_complete');
});

/** Readings that end when the test says so. */
function heldReadings() {
  let begun = 0;
  const released = new EventEmitter();
  const release = once(released, 'now');
  const reading = async (): Promise<ReadDocument> => {
    begun += 1;
    await release;
    return { outcome: 'no_text', pages: null };
  };
  return { reading, begun: () => begun, release: () => released.emit('now') };
}
