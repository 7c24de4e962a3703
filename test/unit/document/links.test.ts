/** Links of responses that lead to no operation. */
import { expect, test } from '@jest/globals';
import { linkFaults } from '../../../contract/document/load-document.ts';
import { apiOf } from './fixture.ts';

test.each<[link: object, faults: string[]]>([
  [{ operationId: 'addBook' }, []],
  [{ operationRef: '#/paths/~1books/post' }, []],
  [{ operationId: 'getBooks' }, ['the link next of addBook 201 leads to no operation (getBooks)']],
  [{}, ['the link next of addBook 201 leads to no operation (none is named)']],
])('the link %j has the faults %j', (link, faults) => {
  const responses = { 201: { description: 'Done.', links: { next: link } } };
  expect(linkFaults(apiOf({ '/books': { post: { operationId: 'addBook', responses } } }))).toEqual(faults);
});
