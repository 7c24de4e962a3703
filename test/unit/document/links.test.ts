/** Links of responses that lead to no operation. */
import { expect, test } from '@jest/globals';
import { linkFaults } from '../../../contract/document/load-document.ts';
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
