import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { underLease } from '../../../src/analysis/lease.ts';
import type { AnalysisFailure } from '../../../src/domain/analysis.ts';
import { ContentFolderError } from '../../../src/files/content-store.ts';
import type { Lease, LeaseTime } from '../../../src/store/parts/leases.ts';
import { type AnalysisHarness, type ReplacedTools, startAnalysisHarness } from '../../support/analysis.ts';
import { failing, heldReadings, register } from './fixture.ts';
import { overrideStore } from '../../support/override-store.ts';

let harness: AnalysisHarness;

async function start(tools?: ReplacedTools): Promise<AnalysisHarness> {
  return (harness = await startAnalysisHarness(tools));
}

const next: AnalysisHarness['analyseNext'] = (...parameters) => harness.analyseNext(...parameters);
const resultOf = async (fileId: string) => JSON.parse((await harness.read(fileId)).result ?? '') as unknown;

/** Reading that gives this the first time, and after that nothing. */
type Reading = () => ReturnType<NonNullable<ReplacedTools['readDocument']>>;
const once = (first: Reading): ReplacedTools => {
  let readings = 0;
  return { readDocument: () => ((readings += 1) === 1 ? first() : Promise.resolve({ outcome: 'no_text', pages: 1 })) };
};

test('a waiting file is analysed: without verification checks it gets no evidence, and it says what was found', async () => {
  await start();
  const [fileId, second] = [await harness.addFile('number 01234567'), await harness.addFile('number 01234567')];
  expect(await next()).toMatchObject({ fileId, outcome: 'complete' });
  const analysis = await harness.read(fileId);
  expect(analysis).toMatchObject({ analysis_status: 'analysis_complete', from_cache: false, failure: null });
  expect(await resultOf(fileId)).toEqual({
    text: { outcome: 'text', pages: null, characters: 23 },
    details: [{ kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: null }],
    evidence: null,
    checks_prevented_by: 'setting',
  });
  // A file of the same content is not read again.
  await rm(await harness.pathOf(fileId));
  expect(await next()).toMatchObject({ fileId: second, outcome: 'from_cache' });
  expect(await harness.read(second)).toMatchObject({ from_cache: true, result: analysis.result });
  expect(await next()).toBeUndefined();
});

test('a waiting file gets evidence if the setting was on when it was taken, which is not cached if a registry was unavailable', async () => {
  const { registry } = register();
  await start({ verification: () => Promise.resolve({ registries: [registry], namesCompany: () => true }) });
  await harness.setVerification(true);
  const first = await harness.addFile('same');
  await harness.addFile('same');
  expect([await next(), await next()]).toMatchObject([{ outcome: 'complete' }, { outcome: 'complete' }]);
  const evidence = [{ value: '01234567', verdict: 'registry_unavailable', reason: 'it does not respond' }];
  expect(await resultOf(first)).toMatchObject({ evidence });
});

const encrypted = { code: 'encrypted-file', message: 'The file is encrypted.' } as const;
const crashed = { code: 'internal-error', message: 'Reading the file failed unexpectedly.' } as const;
const cause = 'Its process ended with SIGSEGV.';
const unexpected = 'x is not a function';

const failed =
  (failure: AnalysisFailure, cause?: string): Reading =>
  () =>
    Promise.resolve({ outcome: 'failed', failure, ...(cause !== undefined && { cause }) });
test.each<[string, Reading, Record<string, string>]>([
  ['what is wrong with the file', failed(encrypted), encrypted],
  ['the log what ended its reading', failed(crashed, cause), { code: 'internal-error', hidden: cause }],
  [
    'that nobody expected it, and the detail to the log alone',
    () => Promise.reject(new TypeError(unexpected)),
    { code: 'internal-error', hidden: unexpected },
  ],
])('an analysis that fails tells %s, and the next file is analysed', async (_, reading, { hidden, ...failure }) => {
  await start(once(reading));
  const bad = await harness.addFile('bad');
  await harness.addFile('good');
  const { code } = failure;
  expect([await next(), await next()]).toMatchObject([{ outcome: 'failed', code }, { outcome: 'complete' }]);
  const analysis = await harness.read(bad);
  expect(analysis).toMatchObject({ analysis_status: 'analysis_failed', failure, result: null });
  if (hidden === undefined) return;
  expect(analysis.failure?.message).not.toContain(hidden);
  expect(harness.log.join()).toMatch(new RegExp(`${bad}.*${hidden}|${hidden}.*${bad}`));
});

test.each([
  ['is missing', (path: string) => rm(path)],
  ['cannot be read', (path: string) => rm(path).then(() => mkdir(path))],
])('an analysis that fails says that the content %s', async (text, damage) => {
  await start();
  const fileId = await harness.addFile('text');
  await damage(await harness.pathOf(fileId));
  expect(await next()).toMatchObject({ outcome: 'failed', code: 'content-missing' });
  expect((await harness.read(fileId)).failure?.message).toContain(text);
});

const asNeverTaken = { analysis_status: 'waiting_for_analysis', attempts: 0 };

test('a file that a worker cannot bring to its end waits again at once, as if it had never been taken, when its worker is stopped', async () => {
  const { readDocument, untilBegun } = heldReadings();
  await start({ readDocument });
  const stop = new AbortController();
  const fileId = await harness.addFile('long');
  const analysing = next(stop.signal);
  await untilBegun();
  expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'analysing', attempts: 1 });
  stop.abort();
  expect(await analysing).toMatchObject({ outcome: 'given_back' });
  expect(await harness.read(fileId)).toMatchObject(asNeverTaken);
  expect(await next(stop.signal)).toMatchObject({ outcome: 'given_back' });
});

test('a file that a worker cannot bring to its end waits again, as if it had never been taken, when its worker sees no content at all', async () => {
  await start();
  const fileId = await harness.addFile('elsewhere');
  const folder = dirname(dirname(await harness.pathOf(fileId)));
  await rename(folder, `${folder}-elsewhere`);
  await expect(next()).rejects.toThrow(ContentFolderError);
  await expect(next()).rejects.toThrow('DATA_DIR');
  expect(await harness.read(fileId)).toMatchObject(asNeverTaken);
  await rename(`${folder}-elsewhere`, folder);
  expect(await next()).toMatchObject({ fileId, outcome: 'complete' });
});

test.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
  'a file that a worker cannot bring to its end waits again, as if it had never been taken, when its worker is out of what the machine gives (%s)',
  async (code) => {
    await start(once(() => Promise.reject(Object.assign(new Error(`spawn ${code}`), { code }))));
    const fileId = await harness.addFile('text');
    await expect(next()).rejects.toThrow(code);
    expect(await harness.read(fileId)).toMatchObject(asNeverTaken);
    expect(await next()).toMatchObject({ fileId, outcome: 'complete' });
  },
);

test('a file that a worker cannot bring to its end is left to the worker that took it over, and the work on it is ended', async () => {
  const { readDocument, untilBegun } = heldReadings();
  await start({ readDocument });
  const fileId = await harness.addFile('long');
  const analysing = next();
  await untilBegun();
  const later = new Date(Date.now() + 60_000).toISOString();
  const other = await harness.store.takeAnalysis({ at: later, leaseMilliseconds: 60_000 });
  expect(other).toMatchObject({ analysis_status: 'analysing', file_id: fileId, attempts: 2 });
  expect(await analysing).toMatchObject({ outcome: 'lost' });
  expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'analysing', attempts: 2, result: null });
});

test('a file that a worker cannot bring to its end stays with a worker that lives, however long its analysis takes, also after an outage of the store', async () => {
  const { readDocument, untilBegun, release } = heldReadings();
  await start({ readDocument });
  const { parts } = harness;
  const renewals: LeaseTime[] = [];
  const unreliable = failing(parts, 'renewLease', 1);
  const renewLease = async (lease: Lease, time: LeaseTime) => {
    const isKept = await unreliable.store.renewLease(lease, time);
    renewals.push(time);
    return isKept;
  };
  const fileId = await harness.addFile('long');
  const analysing = next(undefined, { ...parts, store: overrideStore(parts.store, { renewLease }) });
  await untilBegun();
  while (renewals.length === 0) await sleep(20);
  const [first] = renewals as [LeaseTime];
  const at = new Date(Date.parse(first.at) + first.leaseMilliseconds - 1).toISOString();
  expect(await harness.store.takeAnalysis({ at, leaseMilliseconds: 0 })).toBeUndefined();
  release();
  expect(await analysing).toMatchObject({ fileId, outcome: 'complete' });
});

test('a file that a worker cannot bring to its end gets its result when the store is back that was unavailable while it was to be saved', async () => {
  await start();
  const fileId = await harness.addFile('text');
  expect(await next(undefined, failing(harness.parts, 'completeAnalysis', 2))).toMatchObject({ outcome: 'complete' });
  expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'analysis_complete', attempts: 1 });
});

test('the signal of a worker keeps nothing of the files that are done', async () => {
  await start();
  const { signal } = new AbortController();
  const followers = () => getEventListeners(signal, 'abort').length;
  let during = 0;
  const done = () => Promise.resolve(true);
  const work = () => Promise.resolve((during = followers()));
  const leased = { renew: done, release: done, now: () => new Date(), work, failed: () => 0, save: done };
  for (let file = 0; file < 10; file += 1) await underLease(leased, signal);
  expect([during, followers()]).toEqual([1, 0]);
});
