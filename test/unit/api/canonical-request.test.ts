import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { malformed } from '../../../src/api/errors.ts';
import { canonicaliseRequest, requireValidHttp } from '../../../src/api/steps/canonical-request.ts';

function canonical(overrides: object) {
  const request = { method: 'GET', url: '/', ...overrides } as Request;
  canonicaliseRequest(request);
  return { method: request.method, url: request.url };
}

function accepts(httpVersion: string, hosts: string[] = []): unknown {
  let outcome: unknown;
  const rawHeaders = hosts.flatMap((host) => ['Host', host]);
  const request = { httpVersion, rawHeaders } as unknown as Request;
  void requireValidHttp(request, {} as Response, (error?: unknown) => (outcome = error ?? 'accepted'));
  return outcome;
}

describe('the target of a request', () => {
  test.each([
    ['/cases/1?a=b', '/cases/1?a=b'],
    ['/cases/1?a=b?c', '/cases/1?a=b?c'],
    ['?a=b', '/?a=b'],
    ['http://any.example/cases/1?a=b', '/cases/1?a=b'],
    ['HTTPS://any.example:8443/cases/1', '/cases/1'],
    ['http://any.example', '/'],
    ['http://any.example?a=b', '/?a=b'],
    ['/cases/http://any.example/1', '/cases/http://any.example/1'],
    ['any+scheme.1-x://any.example/cases', '/cases'],
    ['/cases/1#part?a=b', '/cases/1'],
    ['cases', '/cases'],
    [undefined, '/'],
    ['/cases/%41', '/cases/%41'],
    ['/cases/%zz', '/cases/%25zz'],
    ['/cases/%zz%41?%zz', '/cases/%25zz%2541?%zz'],
    ['/cases/1?%zz', '/cases/1?%zz'],
  ])('%s is taken for %s', (url, expected) => {
    expect(canonical({ url })).toEqual({ method: 'GET', url: expected });
  });
});

test('HEAD is taken for GET, and no other method for another', () => {
  expect(canonical({ method: 'HEAD' }).method).toBe('GET');
  expect(canonical({ method: 'PUT' }).method).toBe('PUT');
});

describe('a request of HTTP/1.1 has one valid Host, and one of HTTP/1.0 may have it', () => {
  test.each([['x'], ['any.example:8080'], ['any.example:'], ['192.0.2.1'], ['[2001:DB8::1]'], ['[::1]:80'], ['']])(
    '%j is one',
    (host) => {
      expect([accepts('1.1', [host]), accepts('1.0', [host])]).toEqual(['accepted', 'accepted']);
    },
  );

  test.each([['a b'], ['a/b'], ['a?b'], ['a#b'], ['a@b'], ['a:b'], ['[x]'], ['[::1'], ['::1'], ['a\\b'], ['[::1]x']])(
    '%j is none',
    (host) => {
      const refused = malformed();
      expect([accepts('1.1', [host]), accepts('1.0', [host])]).toEqual([refused, refused]);
    },
  );

  test('and not two, nor another version', () => {
    const refused = malformed();
    expect([accepts('1.1', undefined), accepts('1.1', ['x', 'x']), accepts('1.0', ['x', 'x'])]).toEqual([
      refused,
      refused,
      refused,
    ]);
    expect([accepts('1.2', ['x']), accepts('2.0', ['x']), accepts('1.0', undefined)]).toEqual([
      refused,
      refused,
      'accepted',
    ]);
  });
});
