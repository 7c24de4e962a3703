import { expect, test } from '@jest/globals';
import { generateSecret } from '../../../src/domain/credential.ts';
import { hideSecrets, holdsSecret } from '../../../src/domain/secrets-in-text.ts';
import { processorMilliseconds } from '../../support/process.ts';

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
