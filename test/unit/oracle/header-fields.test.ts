import { expect, test } from '@jest/globals';
import { inUsualForm } from '../../../contract/oracle/response.ts';

test.each([
  ['X-List', 'a,b \t, c', 'a, b, c'],
  ['Content-Type', 'text/html ;\tcharset=UTF-8', 'text/html;charset=UTF-8'],
  ['X-List', '"a , b\\" ; c" ,d', '"a , b\\" ; c", d'],
  ['Cache-Control', 'No-Store,MAX-AGE=5', 'no-store, max-age=5'],
  ['X-Cache-Control', 'No-Store', 'No-Store'],
  ['Cache-Control-X', 'No-Store', 'No-Store'],
])('the usual form of %s: %s', (name, value, usual) => {
  expect(inUsualForm(name, value)).toBe(usual);
});
