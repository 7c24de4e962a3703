import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normaliseTime } from '../../../src/domain/time.ts';

describe('a time', () => {
  test.each([
    ['2026-03-02T09:15:00Z', '2026-03-02T09:15:00.000Z'],
    ['2026-03-02t09:15:00z', '2026-03-02T09:15:00.000Z'],
    ['2026-03-02T09:15:00.123456+01:30', '2026-03-02T07:45:00.123Z'],
    ['0049-01-01T00:00:00-01:00', '0049-01-01T01:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('%s is stored as %s', (text, stored) => {
    expect(normaliseTime(text)).toBe(stored);
  });

  test.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['before the year 0', '0000-01-01T00:00:00+01:00'],
    ['after the year 9999', '9999-12-31T23:59:59-01:00'],
    ['without a zone', '2026-03-02T09:15:00'],
    ['of a form that Date would read as 2049', '0049-01-01 00:00:00Z'],
    ['with an offset that Date cannot read', '2026-03-02T09:15:00+01'],
    ['of a month that does not exist', '2026-13-02T09:15:00Z'],
    ['that is no time', 'yesterday'],
  ])('%s is not stored', (_, text) => {
    expect(normaliseTime(text)).toBeUndefined();
  });

  test('in its stored form stays as it is', () => {
    const stored = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(stored, (date) => {
        expect(normaliseTime(date.toISOString())).toBe(date.toISOString());
      }),
    );
  });
});
