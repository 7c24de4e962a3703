import { expect, test } from '@jest/globals';
import { matchOperation, operationsOfPath } from '../../../contract/document/index.ts';

const operations = [
  { method: 'get', path: '/cases/{id}' },
  { method: 'post', path: '/cases/{id}' },
  { method: 'get', path: '/cases/recent' },
  { method: 'get', path: '/files/{id}.{extension}' },
  { method: 'head', path: '/files/{id}.{extension}' },
];

test.each([
  ['GET', '/cases/1', 0],
  ['HEAD', '/cases/1?a=b', 0],
  ['post', '/cases/1', 1],
  ['GET', '/cases/recent', 2],
  ['GET', '/files/1.png', 3],
  ['HEAD', '/files/1.png', 4],
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
