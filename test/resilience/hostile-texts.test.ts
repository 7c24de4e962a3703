/** Texts that are made to keep a search busy: a pattern that backtracks without bound would not end in a test's time. */
import { expect, test } from '@jest/globals';
import { findDetails } from '../../src/analysis/details/find-details.ts';
import { comparableText } from '../../src/analysis/details/names-company.ts';

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
