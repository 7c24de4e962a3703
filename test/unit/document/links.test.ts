/** Links of responses: the values of runtime expressions, and what is wrong with a link. */
import { expect, test } from '@jest/globals';
import { linkedOperation, linkFaults, valueOfLink } from '../../../contract/document/links.ts';
import { apiOf } from './fixture.ts';

const bookOf = (links: object) =>
  apiOf(
    {
      '/books': { post: { operationId: 'addBook', responses: { 201: { description: 'Done.', links } } } },
      '/books/{id}': {
        get: {
          operationId: 'getBook',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'The book.' } },
        },
      },
    },
    { title: 'Books' },
  );

test.each<[link: object, faults: string[]]>([
  [{ operationId: 'getBook', parameters: { id: '$response.body#/id' } }, []],
  [{ operationRef: '#/paths/~1books~1{id}/get', parameters: { 'path.id': '5' } }, []],
  [{ operationId: 'getBooks' }, ['the link next of addBook 201 leads to no operation (getBooks)']],
  [{}, ['the link next of addBook 201 leads to no operation (none is named)']],
])('the link %j has the faults %j', (link, faults) => {
  expect(linkFaults(bookOf({ next: link }))).toEqual(faults);
});

test('a link leads to an operation by its id or its place', () => {
  const document = bookOf({});
  for (const link of [{ operationId: 'getBook' }, { operationRef: '#/paths/~1books~1{id}/get' }])
    expect(linkedOperation(document, link)?.operationId).toBe('getBook');
});

test.each([
  ['$url', 'http://a/b'],
  ['$method', 'POST'],
  ['$statusCode', 201],
  ['$request.header.Accept', '*/*'],
  ['$request.query.perPage', 1],
  ['$request.path.id', '5'],
  ['$request.body#/a~1b/0', true],
  ['$response.header.Location', '/b/5'],
  ['$response.body', { id: 5 }],
  ['$response.body#/id', 5],
  ['$response.body#/name', undefined],
  ['book {$response.body#/id}', 'book 5'],
  ['five', 'five'],
  [5, 5],
])('the runtime expression %s is %j', (expression, value) => {
  const request = { header: { accept: '*/*' }, query: { perPage: 1 }, path: { id: '5' }, body: { 'a/b': [true] } };
  const response = { header: { location: '/b/5' }, body: { id: 5 } };
  const exchange = { url: 'http://a/b', method: 'POST', statusCode: 201, request, response };
  expect(valueOfLink(expression, exchange)).toEqual(value);
});
