import { expect, test } from '@jest/globals';
import { connectRedis, reasonOf } from '../../../src/rate-limits/redis.ts';

const optionsOf = (url: string) => connectRedis(new URL(url), { reconnects: false }).options;

test('a Redis is reached as its URL says, percent-encoded characters and an IPv6 address included', () => {
  const expected = { host: '::1', port: 7000, username: 'a/b', password: 'p@ss', db: 3, tls: {} };
  expect(optionsOf('rediss://a%2Fb:p%40ss@[::1]:7000/3')).toMatchObject(expected);
  const plain = optionsOf('redis://cache.internal');
  expect(plain).toMatchObject({ host: 'cache.internal', port: 6379, db: 0 });
  expect(plain.tls).toBeUndefined();
});

test('a reason never holds the password, as it was written or as it was meant', () => {
  const url = new URL('redis://user:p%40ss@127.0.0.1');
  expect(reasonOf(new Error("ERR what is 'p@ss'"), url)).toBe("ERR what is '***'");
  expect(reasonOf(new Error('ERR what is it'), new URL('redis://127.0.0.1'))).toBe('ERR what is it');
});

test('a reason is there also if several addresses were tried in vain', () => {
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  expect(reasonOf(several, new URL('redis://127.0.0.1'))).toBe('ECONNREFUSED');
});
