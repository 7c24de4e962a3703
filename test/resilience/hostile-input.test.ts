/** Texts that are made to keep a search busy: a pattern that backtracks without bound would not end in a test's time. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, beforeAll } from '@jest/globals';
import { findDetails } from '../../src/analysis/details/find-details.ts';
import { comparableText } from '../../src/analysis/details/names-company.ts';
import { testCorpusOf } from '../fuzz/replay.ts';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

const characters = 500_000;

test.each([
  '1',
  '1 ',
  ' ',
  '#',
  '.',
  'é',
  'company ',
  'company registered no ',
  'registered in england with under as the company ',
  'registered      ',
  'VAT reg no ',
  'vat ((((((((no((((((((',
  'gst/hst ',
  'b.n. ',
  '123 456 782 RT 000 ',
  'VAT 123456783 ',
  'company number 0123456',
])('%j, over and over', (part) => {
  const text = part.repeat(characters / part.length);
  expect(findDetails([`${text}\nCompany number 01234567`])).toContainEqual(
    expect.objectContaining({ kind: 'uk-company-number', value: '01234567' }),
  );
  expect(comparableText([text]).length).toBeGreaterThan(0);
});

for (const target of ['request-heads', 'request-bodies', 'bulk-files', 'case-imports']) testCorpusOf(target);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let api: Harness;
beforeAll(async () => {
  api = await startHarness({ rateLimits: { requests: 1_000_000 } });
});

test('a new spelling of the media type on each request takes up no memory', async () => {
  const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
  const update = async (from: number, to: number) => {
    for (let index = from; index < to; index += 1)
      await api.call('PUT', settingPath, {
        headers: { 'x-api-key': key, 'content-type': `application/json; p=${index}` },
        body: '{}',
      });
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await update(0, 100);
  const retainedBytesPerRequest = ((await update(100, 400)) - before) / 300;
  expect(retainedBytesPerRequest).toBeLessThan(5_000);
});
