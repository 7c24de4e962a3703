import { expect, test } from '@jest/globals';
import { matchOperation, operationsOfPath } from '../../../contract/document/index.ts';
import type { Operation } from '../../../contract/document/model.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { dereference, keysOfPointer } from '../../../contract/document/references.ts';

const operations = [
  { method: 'get', path: '/cases/{id}' },
  { method: 'post', path: '/cases/{id}' },
  { method: 'get', path: '/cases/recent' },
  { method: 'get', path: '/files/{id}.{extension}' },
  { method: 'head', path: '/files/{id}.{extension}' },
  { method: 'post', path: '/books/{book}' },
  { method: 'post', path: '/books/{book}:archive' },
] as Operation[];

test.each([
  ['GET', '/cases/1', 0],
  ['HEAD', '/cases/1?a=b', 0],
  ['post', '/cases/1', 1],
  ['GET', '/cases/recent', 2],
  ['GET', '/files/1.png', 3],
  ['HEAD', '/files/1.png', 4],
  ['POST', '/books/1', 5],
  ['POST', '/books/1:archive', 6],
  ['POST', '/cases/recent', undefined],
  ['GET', '/cases/', undefined],
  ['GET', '/cases/1/2', undefined],
  ['GET', '/Cases/1', undefined],
  ['GET', '/files/1-png', undefined],
])('%s %s calls operation %p', (method, path, index) => {
  expect(matchOperation({ operations }, method, path)).toBe(index === undefined ? undefined : operations[index]);
});

test('the operations of a path are those of the path without parameters, if one matches', () => {
  expect(operationsOfPath({ operations }, '/cases/recent')).toEqual([operations[2]]);
  expect(operationsOfPath({ operations }, '/cases/1')).toEqual(operations.slice(0, 2));
});

test('the document of the API gives each error code its status and message, also those that no operation responds with', () => {
  expect(ownDocument.errors).toMatchObject({
    'request.cases.case.already-locked': { status: 409, message: 'The case is locked.' },
    'request.cases.case.not-found': { status: 404, message: 'There is no such case.' },
    'request.method-not-allowed': { status: 405 },
    'service.unavailable': { status: 503 },
  });
});

test.each([
  ['#/paths/~1cases~1%7Bid%7D/x~0y', ['paths', '/cases/{id}', 'x~y']],
  ['#/enum/100%/%zz', ['enum', '100%', '%zz']],
  ['#/%FF%7E', ['\uFFFD~']],
])('%s has keys with slashes, tildes and escapes', (pointer, keys) => {
  expect(keysOfPointer(pointer)).toEqual(keys);
});

test('equal references give the same object, also within itself, and one to nowhere nothing', () => {
  const { a, b, none, external } = dereference({
    a: { $ref: '#/node' },
    b: [{ $ref: '#/node' }],
    none: { $ref: '#/nowhere/at/all' },
    external: { $ref: 'other.yaml#/node' },
    node: { next: { $ref: '#/node' } },
  }) as Record<string, unknown>;
  expect((b as unknown[])[0]).toBe(a);
  expect((a as { next: unknown }).next).toBe(a);
  expect([none, external]).toEqual([undefined, undefined]);
});

test('a document is copied, not changed, and may have a field of any name', () => {
  const bundled = JSON.parse('{ "a": { "$ref": "#/b" }, "b": { "__proto__": { "x": 1 }, "$ref": 1 } }') as object;
  const before = JSON.stringify(bundled);
  const result = dereference(bundled) as { a: object };
  expect(Object.keys(result.a)).toEqual(['__proto__', '$ref']);
  expect(JSON.stringify(bundled)).toBe(before);
});
