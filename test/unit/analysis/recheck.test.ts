import { rm } from 'node:fs/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { recheckAfter } from '../../../src/analysis/lease.ts';
import { recheck, takeRecheck } from '../../../src/analysis/recheck.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { mostRechecks } from '../../../src/domain/analysis.ts';
import { type AnalysisHarness, startAnalysisHarness } from '../../support/analysis.ts';
import { register } from './fixture.ts';

const later = { at: '2026-03-03T00:00:00.000Z', leaseMilliseconds: 60_000, after: '' };

let harness: AnalysisHarness;
let now: Date;
let readings: number;
let fileId: string;
let asked: string[];
let respondWith: (find: Registry['find']) => void;

/** Analyses a file with two numbers while the registry is unavailable. */
beforeEach(async () => {
  [now, readings] = [new Date('2026-03-02T12:00:00.000Z'), 0];
  const unavailable = register();
  const namesCompany = (text: string, name: string) => text.includes(name.toLowerCase());
  ({ asked, respondWith } = unavailable);
  harness = await startAnalysisHarness({
    now: () => now,
    readDocument: () => {
      readings += 1;
      const details = ['00000001', '00000002'].map(
        (value) => ({ kind: 'uk-company-number', value, found_as: value, page: null }) as const,
      );
      return Promise.resolve({ outcome: 'text', pages: null, characters: 23, details, comparableText: ' acme ltd ' });
    },
    verification: () => Promise.resolve({ registries: [unavailable.registry], namesCompany }),
  });
  await harness.setVerification(true);
  fileId = await harness.addFile('same');
  expect(await harness.analyseNext()).toMatchObject({ outcome: 'complete' });
  asked.splice(0);
  readings = 0;
});

const askAgain = async (signal = new AbortController().signal) => {
  const taken = await takeRecheck(harness.parts, '');
  return taken && recheck(taken, harness.parts, signal);
};

const dueAt = async () => (await harness.read(fileId)).recheck_due_at;
const whenDue = async () => (now = new Date(String(await dueAt())));

const nothing = () => Promise.resolve(undefined);
const named =
  (name: string): Registry['find'] =>
  (_kind, value) =>
    Promise.resolve({ value, name, status: '' });

test('registries are asked again about the open questions alone, and the responses are kept beside the result', async () => {
  const { result } = await harness.read(fileId);
  expect(await askAgain()).toBeUndefined();
  await whenDue();
  respondWith((kind, value) =>
    value === '00000001' ? named('Acme Ltd')(kind, value) : Promise.reject(new RegistryUnavailableError('away')),
  );
  expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
  expect(asked.splice(0)).toEqual(['00000001', '00000002']);
  expect(await harness.read(fileId)).toMatchObject({
    result,
    later_evidence: [{ value: '00000001', verdict: 'match', record: { name: 'Acme Ltd' } }],
    recheck_due_at: '2026-03-02T12:02:00.000Z',
  });

  await whenDue();
  respondWith(named('Other Ltd'));
  expect(await askAgain()).toEqual({ fileId, outcome: 'complete' });
  expect(asked).toEqual(['00000002']);
  expect(await harness.read(fileId)).toMatchObject({
    result,
    later_evidence: [{ verdict: 'match' }, { value: '00000002', verdict: 'mismatch' }],
    recheck_due_at: null,
  });
  expect(harness.log.filter((line) => line.includes('registries were asked again'))).toHaveLength(2);
});

test.each([
  ['without reading the file, unless they name a company', nothing, 0],
  ['and the file is read once, however many companies they name', named('Acme Ltd'), 1],
])('registries are asked again %s', async (_, find, times) => {
  await whenDue();
  respondWith(find);
  expect(await askAgain()).toMatchObject({ outcome: 'complete' });
  expect(readings).toBe(times);
});

test('registries are asked again less and less often, and then never', async () => {
  const waits: number[] = [];
  for (let due = await dueAt(); due !== null; due = await dueAt()) {
    waits.push((Date.parse(due) - now.getTime()) / 60_000);
    await whenDue();
    expect(await askAgain()).toMatchObject({ outcome: waits.length < mostRechecks ? 'postponed' : 'given_up' });
  }
  expect(waits).toEqual([1, 5, 30, 120, 360, 1440]);
  expect(asked).toHaveLength(2 * mostRechecks);
  expect(recheckAfter(mostRechecks + 1)).toBeUndefined();
  expect(await harness.read(fileId)).toMatchObject({ later_evidence: null });
});

test('a file about which nobody can ask again because its content is missing keeps the responses that need no content, and is due again later', async () => {
  await rm(await harness.pathOf(fileId));
  await whenDue();
  respondWith(named('Acme Ltd'));
  expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
  expect(harness.log.join()).toContain('the file cannot be read again');
  // As without a response.
  const recheck_due_at = '2026-03-02T12:06:00.000Z';
  expect(await harness.read(fileId)).toMatchObject({ later_evidence: null, recheck_due_at });
  await whenDue();
  respondWith((kind, value) => (value === '00000001' ? named('Acme Ltd')(kind, value) : nothing()));
  expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
  expect((await harness.read(fileId)).later_evidence).toMatchObject([{ value: '00000002', verdict: 'not_found' }]);
  asked.splice(0);
  await harness.addFile('same');
  await whenDue();
  expect(await askAgain()).toEqual({ fileId, outcome: 'complete' });
  expect(asked).toEqual(['00000001']);
});

test('a file about which nobody can ask again because of a defect is due again later, and the log tells why', async () => {
  await whenDue();
  respondWith(() => Promise.reject(new TypeError('a defect')));
  expect(await askAgain()).toEqual({ fileId, outcome: 'postponed' });
  expect(harness.log.join()).toContain('a defect');
});

test('a file about which nobody can ask again because its organisation has switched verification off is given up, and no registry is asked', async () => {
  await whenDue();
  await harness.setVerification(false);
  expect(await askAgain()).toEqual({ fileId, outcome: 'given_up' });
  expect(asked).toEqual([]);
  expect(harness.log.join()).toContain('registries are not asked again');
});

test.each<[string, outcome: string, meanwhile: () => Promise<unknown>]>([
  ['verification is switched off: nobody asks again', 'given_up', () => harness.setVerification(false)],
  ['another worker takes the file: it is left to that', 'lost', () => harness.store.takeRecheck(later)],
])('a file keeps nothing of a response when meanwhile %s', async (_, outcome, meanwhile) => {
  await whenDue();
  respondWith(() => meanwhile().then(nothing));
  expect(await askAgain()).toEqual({ fileId, outcome });
  expect(await harness.read(fileId)).toMatchObject({ later_evidence: null });
});

test('a file that a worker cannot bring to its end is due at once, as if it had never been taken, when its worker is stopped or out of what the machine gives', async () => {
  await whenDue();
  const stop = new AbortController();
  respondWith(() => Promise.reject(Object.assign(new Error('socket EMFILE'), { code: 'EMFILE' })));
  await expect(askAgain()).rejects.toThrow('EMFILE');
  respondWith((_kind, _value, signal) => {
    stop.abort();
    return Promise.reject(signal?.reason as Error);
  });
  expect(await askAgain(stop.signal)).toEqual({ fileId, outcome: 'given_back' });
  expect(await takeRecheck(harness.parts, '')).toMatchObject({ status: 'taken', attempts: 1 });
});
