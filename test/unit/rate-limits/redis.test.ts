import { expect, test } from '@jest/globals';
import { reasonOf } from '../../../src/rate-limits/redis.ts';

test('a reason never holds the password, as it was written or as it was meant', () => {
  const url = new URL('redis://user:p%40ss@127.0.0.1');
  expect(reasonOf(new Error("ERR what is 'p@ss'"), url)).toBe("ERR what is '***'");
  expect(reasonOf(new Error('ERR what is it'), new URL('redis://127.0.0.1'))).toBe('ERR what is it');
});

test('a reason is there also if several addresses were tried in vain', () => {
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  expect(reasonOf(several, new URL('redis://127.0.0.1'))).toBe('ECONNREFUSED');
});
