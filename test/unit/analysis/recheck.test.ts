import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { analyse, takeNext } from '../../../src/analysis/analyse-next.ts';
import { recheckAfter } from '../../../src/analysis/outages.ts';
import { recheck, takeRecheck } from '../../../src/analysis/recheck.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { mostRechecks } from '../../../src/domain/analysis.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { type AnalysisHarness, type ReplacedTools, startAnalysisHarness } from '../../support/analysis.ts';
import { setFeature } from '../../support/tenants.ts';

const never = new AbortController().signal;

let harness: AnalysisHarness;
let now: Date;
let readings: number;
afterEach(() => harness.close());

/** A registry that is unavailable until it is given a response. */
function register() {
  const asked: string[] = [];
  let find: Registry['find'] = () => Promise.reject(new RegistryUnavailableError('it does not respond'));
  const registry: Registry = {
    name: 'the register',
    kinds: ['uk-company-number'],
    find: (kind, value, signal) => {
      asked.push(value);
      return find(kind, value, signal);
    },
  };
  return { registry, asked, respondWith: (given: Registry['find']) => (find = given) };
}

/** Analyses a file with two numbers while the registry is unavailable. */
async function start(tools: ReplacedTools = {}) {
  now = new Date('2026-03-02T12:00:00.000Z');
  readings = 0;
  const { registry, asked, respondWith } = register();
  harness = await startAnalysisHarness({
    now: () => now,
    readDocument: () => {
      readings += 1;
      const detail = (value: string) => ({ kind: 'uk-company-number' as const, value, found_as: value, page: null });
      const details = [detail('00000001'), detail('00000002')];
      return Promise.resolve({ outcome: 'text', pages: null, characters: 23, details, comparableText: ' acme ltd ' });
    },
    verification: () =>
      Promise.resolve({ registries: [registry], namesCompany: (text, name) => text.includes(name.toLowerCase()) }),
    ...tools,
  });
  await setFeature(harness.store, harness.organisationId, true);
  await harness.setVerification(true);
  const fileId = await harness.addFile('same');
  expect(await next()).toMatchObject({ outcome: 'complete' });
  asked.splice(0);
  readings = 0;
  return { fileId, asked, respondWith };
}

const next = async () => {
  const taken = await takeNext(harness.parts);
  return taken && analyse(taken, harness.parts, never);
};

const askAgain = async (signal = never, parts = harness.parts) => {
  const taken = await takeRecheck(parts, '');
  return taken && recheck(taken, parts, signal);
};

const dueAt = async (fileId: string) => (await harness.read(fileId)).recheck_due_at;

async function whenDue(fileId: string): Promise<void> {
  now = new Date(String(await dueAt(fileId)));
}

describe('registries are asked again', () => {
  test('about the open questions alone, and the responses are kept beside the result', async () => {
    const { fileId, asked, respondWith } = await start();
    const { result } = await harness.read(fileId);
    expect(await askAgain()).toBeUndefined();
    await whenDue(fileId);
    respondWith((_kind, value) =>
      value === '00000001'
        ? Promise.resolve({ value, name: 'Acme Ltd', status: 'Active' })
        : Promise.reject(new RegistryUnavailableError('it does not respond')),
    );
    expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
    expect(asked.splice(0)).toEqual(['00000001', '00000002']);
    expect(await harness.read(fileId)).toMatchObject({
      result,
      later_evidence: [{ value: '00000001', verdict: 'match', record: { name: 'Acme Ltd' } }],
      recheck_due_at: '2026-03-02T12:02:00.000Z',
    });

    await whenDue(fileId);
    respondWith((_kind, value) => Promise.resolve({ value, name: 'Other Ltd', status: 'Active' }));
    expect(await askAgain()).toEqual({ fileId, outcome: 'complete' });
    expect(asked).toEqual(['00000002']);
    expect(await harness.read(fileId)).toMatchObject({
      result,
      later_evidence: [{ verdict: 'match' }, { value: '00000002', verdict: 'mismatch' }],
      recheck_due_at: null,
    });
    expect(harness.log.filter((line) => line.includes('registries were asked again'))).toHaveLength(2);

    const again = await harness.addFile('same');
    expect(await next()).toMatchObject({ outcome: 'from_cache' });
    const { evidence } = JSON.parse((await harness.read(again)).result ?? '') as { evidence: unknown };
    expect(evidence).toMatchObject([{ verdict: 'match' }, { verdict: 'mismatch' }]);
  });

  test('without reading the file, unless they name a company', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    respondWith(() => Promise.resolve(undefined));
    expect(await askAgain()).toMatchObject({ outcome: 'complete' });
    expect(readings).toBe(0);
  });

  test('and the file is read once, however many companies they name', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    respondWith((_kind, value) => Promise.resolve({ value, name: 'Acme Ltd', status: '' }));
    expect(await askAgain()).toMatchObject({ outcome: 'complete' });
    expect(readings).toBe(1);
  });

  test('less and less often, and then never', async () => {
    const { fileId, asked } = await start();
    const waits: number[] = [];
    for (let due = await dueAt(fileId); due !== null; due = await dueAt(fileId)) {
      waits.push((Date.parse(due) - now.getTime()) / 60_000);
      await whenDue(fileId);
      expect(await askAgain()).toMatchObject({ outcome: waits.length < mostRechecks ? 'postponed' : 'given_up' });
    }
    expect(waits).toEqual([1, 5, 30, 120, 360, 1440]);
    expect(asked).toHaveLength(2 * mostRechecks);
    expect(recheckAfter(mostRechecks + 1)).toBeUndefined();
    expect(await harness.read(fileId)).toMatchObject({ later_evidence: null });
  });
});

describe('a file about which nobody can ask again', () => {
  test('because its content is missing is due again later, as without a response, and the log says why', async () => {
    const { fileId, respondWith } = await start();
    const { content_sha256: sha256 } = await harness.read(fileId);
    await rm(harness.contents.pathOf(sha256 ?? new Uint8Array()));
    await whenDue(fileId);
    respondWith((_kind, value) => Promise.resolve({ value, name: 'Acme Ltd', status: '' }));
    expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
    expect(harness.log.join()).toContain('the file cannot be read again');
    expect(await harness.read(fileId)).toMatchObject({
      later_evidence: null,
      recheck_due_at: '2026-03-02T12:06:00.000Z',
    });
    await harness.addFile('same');
    await whenDue(fileId);
    expect(await askAgain()).toEqual({ fileId, outcome: 'complete' });
  });

  test('because its content is missing keeps the responses that need no content', async () => {
    const { fileId, asked, respondWith } = await start();
    const { content_sha256: sha256 } = await harness.read(fileId);
    await rm(harness.contents.pathOf(sha256 ?? new Uint8Array()));
    await whenDue(fileId);
    respondWith((_kind, value) =>
      Promise.resolve(value === '00000001' ? { value, name: 'Acme Ltd', status: '' } : undefined),
    );
    expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
    expect((await harness.read(fileId)).later_evidence).toMatchObject([{ value: '00000002', verdict: 'not_found' }]);
    asked.splice(0);
    await whenDue(fileId);
    await askAgain();
    expect(asked).toEqual(['00000001']);
  });

  test('because its organisation has switched verification off is given up, and no registry is asked', async () => {
    const { fileId, asked } = await start();
    await whenDue(fileId);
    await harness.setVerification(false);
    expect(await askAgain()).toEqual({ fileId, outcome: 'given_up' });
    expect(asked).toEqual([]);
    expect(harness.log.join()).toContain('registries are not asked again');
  });

  test('because that happens meanwhile keeps nothing of the response', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    respondWith(async () => {
      await harness.setVerification(false);
      return undefined;
    });
    expect(await askAgain()).toEqual({ fileId, outcome: 'given_up' });
    expect(await harness.read(fileId)).toMatchObject({ later_evidence: null, recheck_due_at: null });
  });
});

describe('a file that a worker cannot bring to its end', () => {
  test('is due at once, as if it had never been taken, when its worker is stopped', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    const stop = new AbortController();
    respondWith((_kind, _value, signal) => {
      stop.abort();
      return Promise.reject(signal?.reason as Error);
    });
    expect(await askAgain(stop.signal)).toEqual({ fileId, outcome: 'given_back' });
    expect(await takeRecheck(harness.parts, '')).toMatchObject({ status: 'taken', attempts: 1 });
  });

  test('is due at once when its worker is out of what the machine gives', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    respondWith(() => Promise.reject(Object.assign(new Error('socket EMFILE'), { code: 'EMFILE' })));
    await expect(askAgain()).rejects.toThrow('EMFILE');
    expect(await takeRecheck(harness.parts, '')).toMatchObject({ status: 'taken', attempts: 1 });
  });

  test('is left to the worker that took it over', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    respondWith(async () => {
      await harness.store.takeRecheck({
        at: '2026-03-03T00:00:00.000Z',
        leaseMilliseconds: 60_000,
        after: '',
      });
      return undefined;
    });
    expect(await askAgain()).toEqual({ fileId, outcome: 'lost' });
    expect(await harness.read(fileId)).toMatchObject({ later_evidence: null });
  });

  test('keeps its responses if the store was unavailable while they were to be saved', async () => {
    const { fileId, respondWith } = await start();
    await whenDue(fileId);
    respondWith(() => Promise.resolve(undefined));
    const { parts } = harness;
    let refusals = 1;
    const saveRecheck: typeof parts.store.saveRecheck = (...parameters) =>
      (refusals -= 1) >= 0 ? Promise.reject(new StoreUnavailableError('away')) : parts.store.saveRecheck(...parameters);
    expect(await askAgain(never, { ...parts, store: { ...parts.store, saveRecheck } })).toMatchObject({
      outcome: 'complete',
    });
    expect((await harness.read(fileId)).later_evidence).toHaveLength(2);
  });
});
