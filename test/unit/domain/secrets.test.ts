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
import { hideSecrets, holdsSecret } from '../../../src/domain/secrets-in-text.ts';
import { processorMilliseconds } from '../../support/process.ts';

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

test('the hash of a secret is SHA-256, and matches itself alone, whatever the lengths', () => {
  expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const others = [hashSecret('a'), hashSecret('b'), hashSecret('a').subarray(1)];
  expect(others.map((other) => hashesMatch(hashSecret('a'), other))).toEqual([true, false, false]);
});

const key = generateSecret('api-key', 'uk');
const token = generateSecret('access-token', 'ca');
const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const hidden = (text: string) => hideSecrets(text, '*');
const percent = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');

test.each([
  ['behind letters', `key${key}`, 'key*'],
  ['behind an underscore', `x_${token}`, 'x_*'],
  ['before letters', `${key}key`, '*'],
  ['behind another', `${key}${token}`, '*'],
  ['behind half of another', `dak_uk_x${key}`, '*'],
  ['behind a prefix', `dak_uk_${key}`, '*'],
  ['in upper case', `KEY${key.toUpperCase()}`, 'KEY*'],
  ['in lower case, as of a host', `https://${key.toLowerCase()}.example/`, 'https://*.example/'],
  ['with its underscores escaped for a URL', `?key=${key.replaceAll('_', '%5F')}&x=1`, '?key=*&x=1'],
  ['with its underscores escaped twice for a URL', key.replaceAll('_', '%255f'), '*'],
  ['with its random part escaped for a URL', `dak_uk_${percent(key.slice(7))}&x`, '*&x'],
  ['with its underscores escaped in JSON', `"${key.replaceAll('_', '\\u005f')}"`, '"*"'],
  ['with those escaped twice', JSON.stringify(`"${key.replaceAll('_', '\\u005F')}"`), '"\\"*\\""'],
  ['if it is a JSON Web Token behind letters', `x${jwt}`, 'x*'],
  ['if it is a JSON Web Token without its end', `_${jwt.slice(0, 30)} x`, '_* x'],
  ['if it is a bearer token in a URL', 'xBearer%20abc.def~0123456789', 'xBearer *'],
])('a secret is hidden: %s', (_name, text, expected) => {
  expect(hidden(text)).toBe(expected);
});

test('a secret is hidden and all else is left', () => {
  const text = `dak_uk_, data_uk_x, DAT_1, eyJ, "bearer realm", the bearer 0123, ${id}`;
  expect(hidden(text)).toBe(text);
});

test.each([
  ...[key, token, jwt].flatMap((secret) => [secret, `x${secret}`, `${secret}x`, `order-17.${secret}~`]),
  ...[key.toUpperCase(), 'bearer-0123456789abcdef', 'xBearer0123456789abcdef'],
])('an identifier holds a secret: %s', (identifier) => {
  expect(holdsSecret(identifier)).toBe(true);
});

const id = '7f000000-0000-4000-8000-000000000001';
test.each(['order-17', id, 'the-bearer-of-news', 'dak_uk_', 'eyJ.eyJ.eyJ'])('none holds %s', (identifier) => {
  expect(holdsSecret(identifier)).toBe(false);
});

test.each([
  ...['dak_uk_', 'dak_', 'dak_uk', 'dak_uk_%25', 'dak%25', '%25', 'dak\\u005f', 'dak\\', 'dak_uk_\\', 'dak_uk_%3'],
  ...['eyJ', '-eyJ', 'eyJ.', 'bearer', 'bearer ', 'bearer+', 'bearer%20'],
])('the time is linear in the text: %s…', (unit) => {
  const textOf = (length: number) => unit.repeat(length / unit.length);
  const took = (length: number) => {
    const text = textOf(length);
    return processorMilliseconds(() => {
      hidden(text);
      holdsSecret(text);
    });
  };
  took(16_384);
  // A quadratic expression took more than a second for the first and a minute for the second.
  expect(took(65_536)).toBeLessThan(250);
  expect(took(524_288)).toBeLessThan(2000);
});
