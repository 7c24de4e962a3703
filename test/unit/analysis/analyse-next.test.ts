import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { analyse, takeNext } from '../../../src/analysis/analyse-next.ts';
import { ContentFolderError } from '../../../src/files/content-store.ts';
import { RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import type { Lease, LeaseTime } from '../../../src/store/analysis-store.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { type AnalysisHarness, type ReplacedTools, startAnalysisHarness } from '../../support/analysis.ts';

const never = new AbortController().signal;

let harness: AnalysisHarness;
afterEach(() => harness.close());

async function start(tools?: ReplacedTools): Promise<AnalysisHarness> {
  return (harness = await startAnalysisHarness(tools));
}

const next = async (signal = never, parts = harness.parts) => {
  const taken = await takeNext(parts);
  return taken && analyse(taken, parts, signal);
};

/** Reading that waits until the test lets it go on, or until it is aborted. */
function heldReading() {
  let [begin, release]: (() => void)[] = [];
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const readDocument: ReplacedTools['readDocument'] = async (_path, _type, signal) => {
    begin?.();
    await Promise.race([
      released,
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
    ]);
    return { outcome: 'no_text', pages: null };
  };
  return { readDocument, begun, release: () => release?.() };
}

describe('a waiting file', () => {
  test('is analysed: without verification checks it gets no evidence, and it says what was found', async () => {
    await start();
    const fileId = await harness.addFile('Company number 01234567');
    expect(await next()).toMatchObject({ fileId, outcome: 'complete' });
    const analysis = await harness.read(fileId);
    expect(analysis).toMatchObject({ analysis_status: 'analysis_complete', from_cache: false, failure: null });
    expect(JSON.parse(analysis.result ?? '')).toEqual({
      text: { outcome: 'text', pages: null, characters: 23 },
      details: [{ kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: null }],
      evidence: null,
      checks_prevented_by: 'setting',
    });
    expect(await next()).toBeUndefined();
  });

  test('gets evidence on each detail if the setting was on when it was taken', async () => {
    await start();
    await harness.setVerification(true);
    const fileId = await harness.addFile('Company number 01234567');
    await next();
    expect(JSON.parse((await harness.read(fileId)).result ?? '')).toMatchObject({
      evidence: [{ value: '01234567', registry: 'an empty register', verdict: 'not_found' }],
    });
  });

  test('gets the result of an earlier file of the same content, which is not read again', async () => {
    let readings = 0;
    const { parts } = await startAnalysisHarness();
    await start({ readDocument: (...order) => ((readings += 1), parts.tools.readDocument(...order)) });
    const first = await harness.addFile('same');
    const second = await harness.addFile('same');
    expect([await next(), await next()]).toMatchObject([{ outcome: 'complete' }, { outcome: 'from_cache' }]);
    expect(readings).toBe(1);
    expect(await harness.read(second)).toMatchObject({ from_cache: true, result: (await harness.read(first)).result });
  });
});

describe('a result enters no cache', () => {
  test.each([
    ['was switched on', [true]],
    ['was switched on and off again', [true, false]],
  ])('if the setting %s while its file was analysed', async (_, changes) => {
    const { readDocument, begun, release } = heldReading();
    await start({ readDocument });
    const first = await harness.addFile('same');
    const analysing = next();
    await begun;
    for (const enabled of changes) await harness.setVerification(enabled);
    release();
    expect(await analysing).toMatchObject({ outcome: 'complete' });
    expect(JSON.parse((await harness.read(first)).result ?? '')).toMatchObject({ evidence: null });
    await harness.addFile('same');
    expect(await next()).toMatchObject({ outcome: 'complete' });
  });

  test('if a registry was unavailable, which its evidence says', async () => {
    const away = {
      name: 'the register',
      kinds: ['uk-company-number' as const],
      find: () => Promise.reject(new RegistryUnavailableError('the register does not respond')),
    };
    await start({ verification: () => Promise.resolve({ registries: [away], namesCompany: () => true }) });
    await harness.setVerification(true);
    const first = await harness.addFile('same');
    await harness.addFile('same');
    expect([await next(), await next()]).toMatchObject([{ outcome: 'complete' }, { outcome: 'complete' }]);
    expect(JSON.parse((await harness.read(first)).result ?? '')).toMatchObject({
      evidence: [{ verdict: 'registry_unavailable', reason: 'the register does not respond' }],
    });
  });
});

describe('an analysis that fails', () => {
  test('says what is wrong with the file, and the next file is analysed', async () => {
    const failure = { code: 'encrypted-file' as const, message: 'The file is encrypted.' };
    let readings = 0;
    await start({
      readDocument: () =>
        Promise.resolve(
          (readings += 1) === 1 ? { outcome: 'failed' as const, failure } : { outcome: 'no_text' as const, pages: 1 },
        ),
    });
    const bad = await harness.addFile('bad');
    await harness.addFile('good');
    expect([await next(), await next()]).toMatchObject([
      { outcome: 'failed', code: 'encrypted-file' },
      { outcome: 'complete' },
    ]);
    expect(await harness.read(bad)).toMatchObject({ analysis_status: 'analysis_failed', failure, result: null });
  });

  test('says that nobody expected it, and tells the detail to the log alone', async () => {
    await start({ readDocument: () => Promise.reject(new TypeError('x is not a function')) });
    const fileId = await harness.addFile('odd');
    expect(await next()).toMatchObject({ outcome: 'failed', code: 'internal-error' });
    const { failure } = await harness.read(fileId);
    expect(failure?.message).not.toContain('x is not a function');
    expect(harness.log.join()).toContain('x is not a function');
    expect(harness.log.join()).toContain(fileId);
  });

  test('tells the log what ended its reading', async () => {
    const failure = { code: 'internal-error' as const, message: 'Reading the file failed unexpectedly.' };
    const cause = 'Its process ended with SIGSEGV.';
    await start({ readDocument: () => Promise.resolve({ outcome: 'failed', failure, cause }) });
    const fileId = await harness.addFile('odd');
    expect(await next()).toMatchObject({ outcome: 'failed', code: 'internal-error' });
    expect((await harness.read(fileId)).failure?.message).not.toContain(cause);
    expect(harness.log.join()).toContain(cause);
  });

  test('says that the content is missing', async () => {
    await start();
    const fileId = await harness.addFile('gone');
    const { content_sha256: sha256 } = await harness.read(fileId);
    await rm(harness.contents.pathOf(sha256 ?? new Uint8Array()));
    expect(await next()).toMatchObject({ outcome: 'failed', code: 'content-missing' });
  });

  test('says that the content cannot be read', async () => {
    await start();
    const fileId = await harness.addFile('altered');
    const { content_sha256: sha256 } = await harness.read(fileId);
    const path = harness.contents.pathOf(sha256 ?? new Uint8Array());
    await rm(path);
    await mkdir(path);
    expect(await next()).toMatchObject({ outcome: 'failed', code: 'content-missing' });
    expect((await harness.read(fileId)).failure?.message).toContain('cannot be read');
  });
});

describe('a file that a worker cannot bring to its end', () => {
  test('waits again at once, as if it had never been taken, when its worker is stopped', async () => {
    const { readDocument, begun } = heldReading();
    await start({ readDocument });
    const stop = new AbortController();
    const fileId = await harness.addFile('long');
    const analysing = next(stop.signal);
    await begun;
    expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'analysing', attempts: 1 });
    stop.abort();
    expect(await analysing).toMatchObject({ outcome: 'given_back' });
    expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'waiting_for_analysis', attempts: 0 });
  });

  test('waits again, as if it had never been taken, when its worker sees no content at all', async () => {
    await start();
    const fileId = await harness.addFile('elsewhere');
    const { content_sha256: sha256 } = await harness.read(fileId);
    const folder = dirname(dirname(harness.contents.pathOf(sha256 ?? new Uint8Array())));
    await rename(folder, `${folder}-elsewhere`);
    await expect(next()).rejects.toThrow(ContentFolderError);
    await expect(next()).rejects.toThrow('DATA_DIR');
    expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'waiting_for_analysis', attempts: 0 });
    await rename(`${folder}-elsewhere`, folder);
    expect(await next()).toMatchObject({ fileId, outcome: 'complete' });
  });

  test.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    'waits again, as if it had never been taken, when its worker is out of what the machine gives (%s)',
    async (code) => {
      let readings = 0;
      await start({
        readDocument: () =>
          (readings += 1) === 1
            ? Promise.reject(Object.assign(new Error(`spawn ${code}`), { code }))
            : Promise.resolve({ outcome: 'no_text', pages: null }),
      });
      const fileId = await harness.addFile('text');
      await expect(next()).rejects.toThrow(code);
      expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'waiting_for_analysis', attempts: 0 });
      expect(await next()).toMatchObject({ fileId, outcome: 'complete' });
    },
  );

  test('is left to the worker that took it over, and the work on it is ended', async () => {
    const { readDocument, begun } = heldReading();
    await start({ readDocument });
    const fileId = await harness.addFile('long');
    const analysing = next();
    await begun;
    const later = new Date(Date.now() + 60_000).toISOString();
    const other = await harness.store.takeAnalysis({ at: later, leaseMilliseconds: 60_000 });
    expect(other).toMatchObject({ analysis_status: 'analysing', file_id: fileId, attempts: 2 });
    expect(await analysing).toMatchObject({ outcome: 'lost' });
    expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'analysing', attempts: 2, result: null });
  });

  test('stays with a worker that lives, however long its analysis takes', async () => {
    const { readDocument, begun, release } = heldReading();
    await start({ readDocument });
    const { parts } = harness;
    const renewals: LeaseTime[] = [];
    const store = {
      ...parts.store,
      renewLease: (lease: Lease, time: LeaseTime) => {
        renewals.push(time);
        return parts.store.renewLease(lease, time);
      },
    };
    const fileId = await harness.addFile('long');
    const analysing = next(never, { ...parts, store });
    await begun;
    while (renewals.length < 2) await sleep(20);
    const [first] = renewals as [LeaseTime];
    for (const at of [
      new Date(Date.parse(first.at) + first.leaseMilliseconds).toISOString(),
      new Date(Date.now() + 5_000).toISOString(),
    ])
      expect(await harness.store.takeAnalysis({ at, leaseMilliseconds: 0 })).toBeUndefined();
    release();
    expect(await analysing).toMatchObject({ fileId, outcome: 'complete' });
  });

  test('gets its result when the store is back that was unavailable while it was to be saved', async () => {
    await start();
    const fileId = await harness.addFile('text');
    let refusals = 2;
    const { parts } = harness;
    const store = {
      ...parts.store,
      completeAnalysis: (...parameters: Parameters<typeof parts.store.completeAnalysis>) =>
        (refusals -= 1) >= 0
          ? Promise.reject(new StoreUnavailableError('away'))
          : parts.store.completeAnalysis(...parameters),
    };
    expect(await next(never, { ...parts, store })).toMatchObject({ outcome: 'complete' });
    expect(await harness.read(fileId)).toMatchObject({ analysis_status: 'analysis_complete', attempts: 1 });
  });
});
