import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  credentialKinds,
  generateSecret,
  hashesMatch,
  hashSecret,
  isWellFormedSecret,
} from '../../../src/domain/credential.ts';
import { regions } from '../../../src/domain/region.ts';

const kinds = fc.constantFrom(...credentialKinds);
const everyRegion = fc.constantFrom(...regions);
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a secret names its kind and region, and has 30 random characters and 6 of checksum', () => {
  expect(generateSecret('api-key', 'uk')).toMatch(/^dak_uk_[0-9A-Za-z]{36}$/);
  expect(generateSecret('access-token', 'ca')).toMatch(/^dat_ca_[0-9A-Za-z]{36}$/);
});

test('a secret draws every character of base 62', () => {
  const drawn = Array.from({ length: 500 }, () => generateSecret('api-key', 'uk').slice(7, 37)).join('');
  expect(new Set(drawn)).toEqual(new Set(digits));
});

test('a secret keeps its form: the checksum of known ones does not change', () => {
  const known = ['dak_uk_rvnDk0nAQSLbHUgI3M0aqdAxaYAPhU4Kvdwa', 'dak_uk_mUcPbiFnWQcxyGCY8jSrySVAbPFHHP2XuHbG'];
  expect(known.filter((secret) => isWellFormedSecret(secret, 'api-key', 'uk'))).toEqual(known);
});

test('a secret is well formed for its own kind and region alone', () => {
  fc.assert(
    fc.property(kinds, everyRegion, kinds, everyRegion, (kind, region, otherKind, otherRegion) => {
      const secret = generateSecret(kind, region);
      const same = kind === otherKind && region === otherRegion;
      expect(isWellFormedSecret(secret, otherKind, otherRegion)).toBe(same);
    }),
  );
});

test('a secret with one character mistyped is not well formed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 7, max: 42 }), fc.constantFrom(...digits.split('')), (index, digit) => {
      const secret = generateSecret('api-key', 'uk');
      fc.pre(secret[index] !== digit);
      const mistyped = secret.slice(0, index) + digit + secret.slice(index + 1);
      expect(isWellFormedSecret(mistyped, 'api-key', 'uk')).toBe(false);
    }),
  );
});

const wrongForms = ['A'.repeat(29), `${'A'.repeat(29)}-`].map((random) => {
  let rest = crc32(`dak_uk_${random}`);
  let checksum = '';
  for (let index = 0; index < 6; index += 1) {
    checksum = digits.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return `dak_uk_${random}${checksum}`;
});
const secret = generateSecret('api-key', 'uk');
const others = ['', 'dak_uk_', 'dak_uk_short', `dak_uk_${'!'.repeat(36)}`, ` ${secret}`, `${secret}\n`, `${secret}0`];
test.each([...wrongForms, ...others])('a secret is not %j, though its checksum may be right', (text) => {
  expect(isWellFormedSecret(text, 'api-key', 'uk')).toBe(false);
});

test('the hash of a secret is SHA-256', () => {
  expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('the hash of a secret matches itself alone, whatever the lengths', () => {
  const others = [hashSecret('a'), hashSecret('b'), hashSecret('a').subarray(1)];
  expect(others.map((other) => hashesMatch(hashSecret('a'), other))).toEqual([true, false, false]);
});
