import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { Refusal } from '../../../src/errors.js';
import { canonicalRequest } from '../../../src/http/canonical-request.js';

function canonical(overrides: object) {
  const request = { method: 'GET', url: '/', httpVersion: '1.1', headers: { host: 'x' }, ...overrides } as Request;
  let outcome: unknown;
  void canonicalRequest(request, {} as Response, (error?: unknown) => (outcome = error ?? 'went on'));
  return { outcome, method: request.method, url: request.url, originalUrl: request.originalUrl };
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
    ['/cases/%41', '/cases/%41'],
    ['/cases/%zz', '/cases/%25zz'],
    ['/cases/%zz%41?%zz', '/cases/%25zz%2541?%zz'],
    ['/cases/1?%zz', '/cases/1?%zz'],
  ])('%s is taken for %s', (url, expected) => {
    expect(canonical({ url })).toEqual({ outcome: 'went on', method: 'GET', url: expected, originalUrl: expected });
  });
});

test('HEAD is taken for GET, and no other method for another', () => {
  expect(canonical({ method: 'HEAD' }).method).toBe('GET');
  expect(canonical({ method: 'PUT' }).method).toBe('PUT');
});

test('a request without Host is refused, unless it is of HTTP/1.0', () => {
  expect(canonical({ headers: {} }).outcome).toEqual(new Refusal('request.malformed'));
  expect(canonical({ headers: {}, httpVersion: '1.0' }).outcome).toBe('went on');
});
