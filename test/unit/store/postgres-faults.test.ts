import { expect, test } from '@jest/globals';
import pg from 'pg';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { isContention, reasonOf, sqlState, translate } from '../../../src/store/postgres/client.ts';

const told = (code?: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('what the server says', 0, 'error'), code !== undefined && { code });

test.each(['08006', '28P01', '53300', '57P01', '58030', '3D000', '25006', '25P03', '55P03', '40001', '40P01'])(
  'a fault of PostgreSQL %s lies outside of the statement, and its code stays known',
  (code) => {
    const fault = translate(told(code), 'd on h:1');
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect((fault as Error).message).toBe('The database d on h:1 cannot be used: what the server says');
    expect(sqlState(fault)).toBe(code);
  },
);

test.each(['23505', '22021', undefined])(
  'a fault of PostgreSQL %s is the fault of the statement, and stays as it is',
  (code) => {
    const error = told(code);
    expect(translate(error, 'd')).toBe(error);
  },
);

test('a fault of PostgreSQL that is none of its own is an unavailability without a code', () => {
  const fault = translate(new Error('connect ECONNREFUSED'), 'd');
  expect(fault).toBeInstanceOf(StoreUnavailableError);
  expect(sqlState(fault)).toBeUndefined();
  expect(isContention(fault)).toBe(false);
});

test('a fault of PostgreSQL is contention, or a name that is taken, by its code alone', () => {
  const codesWith = (is: (error: unknown) => boolean) =>
    ['40001', '40P01', '55P03', '23505', undefined].filter((code) => is(told(code)));
  expect(codesWith(isContention)).toEqual(['40001', '40P01']);
});

test('a fault of PostgreSQL has a reason also if several addresses were tried in vain', () => {
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  expect([reasonOf(several), reasonOf(new Error('why'))]).toEqual(['ECONNREFUSED', 'why']);
});
