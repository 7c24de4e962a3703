import { expect, test } from '@jest/globals';
import { comparableText, namesCompany } from '../../../../src/analysis/details/names-company.ts';

const names = (document: string, registered: string) => namesCompany(comparableText([document]), registered);

test.each([
  ['Invoice of Smith & Jones (Holdings) Limited, London', 'SMITH AND JONES (HOLDINGS) LTD'],
  ['Smith and Jones Ltd.', 'SMITH & JONES LIMITED'],
  ['Tesco Public Limited Company', 'TESCO PLC'],
  ['Tesco p.l.c.', 'TESCO PLC'],
  ['OF COUNSEL LLP', 'Of Counsel Limited Liability Partnership'],
  ["From: O'Neill’s Cafés,\nInc.", 'ONEILLS CAFES INCORPORATED'],
  ['Siop Cymru Cyfyngedig', 'SIOP CYMRU LIMITED'],
  ['Les Bidules Acmé Limitée', 'LES BIDULES ACME LTEE'],
  ['Bidules inc.', 'BIDULES INCORPORÉE'],
  ['A.B.C. Ltd', 'ABC LTD'],
  ['Acme\n  Widgets\tLtd', 'ACME WIDGETS LTD'],
  ['Acme-Widgets Ltd', 'ACME WIDGETS LTD'],
  ['Supplier: ACME LTD', 'Acme Ltd'],
])('%j names %j', (document, registered) => {
  expect(names(document, registered)).toBe(true);
});

test.each([
  ['Acme Widgets', 'ACME WIDGETS LTD'],
  ['Acme Ltd', 'ACME WIDGETS LTD'],
  ['Acme Widgets PLC', 'ACME WIDGETS LTD'],
  ['Pacme Widgets Ltd', 'ACME WIDGETS LTD'],
  ['Acme Widgets Ltda', 'ACME WIDGETS LTD'],
  ['Widgets Acme Ltd', 'ACME WIDGETS LTD'],
  ['Acme, and also Widgets Ltd', 'ACME WIDGETS LTD'],
  ['anything at all', '...'],
  ['', 'ACME LTD'],
])('%j does not name %j', (document, registered) => {
  expect(names(document, registered)).toBe(false);
});

test('a name is found across the end of a page', () => {
  expect(namesCompany(comparableText(['payable to Acme', 'Widgets Limited']), 'ACME WIDGETS LTD')).toBe(true);
});
