import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import { compareTimes } from '../../contract/own-api/rule-checks.ts';
import { SettingHistory, watchedLimits, watchedSetting } from '../../contract/own-api/watched.ts';

describe('what a reading may return', () => {
  /** An update to true from 10 to 20, and one to false from 30 to 40. */
  function history(): SettingHistory {
    const updates = new SettingHistory();
    updates.updating(true, 10).end('saved', 20);
    updates.updating(false, 30).end('saved', 40);
    return updates;
  }

  test.each<[string, boolean, number, number, boolean]>([
    ['the value that was saved last', true, 21, 25, true],
    ['not the other one', false, 21, 25, false],
    ['the value of an update in flight', false, 21, 31, true],
    ['the value before an update in flight', true, 21, 31, true],
    ['either, of a reading that begins in it', true, 35, 50, true],
    ['not the value before, once the update has its response', true, 41, 50, false],
    ['whatever was true at some time of a long reading', true, 5, 60, true],
  ])('is %s', (_name, value, sentAt, endedAt, may) => {
    expect(history().readable(value, sentAt, endedAt)).toBe(may);
  });

  test('is what the first reading has returned, until an update', () => {
    const none = new SettingHistory();
    expect(none.readable(true, 1, 2)).toBe(true);
    expect(none.readable(false, 3, 4)).toBe(false);
  });

  test('is not the value of a refused update, and either of one whose end nobody knows', () => {
    const updates = history();
    updates.updating(true, 50).end('refused', 60);
    expect(updates.readable(true, 55, 70)).toBe(false);
    updates.updating(true, 70).end('unknown', 80);
    expect([true, false].map((value) => updates.readable(value, 90, 91))).toEqual([true, true]);
    updates.updating(false, 92).end('saved', 93);
    expect(updates.readable(true, 94, 95)).toBe(false);
  });

  test('is either after updates that came at once', () => {
    const updates = new SettingHistory();
    const [first, second] = [updates.updating(true, 10), updates.updating(false, 11)];
    second.end('saved', 15);
    first.end('saved', 20);
    expect([true, false].map((value) => updates.readable(value, 30, 31))).toEqual([true, true]);
  });
});

const path = '/organisations/features/verification';
const names = new Map(Object.entries({ o: 'owner_key', m: 'member_key', f: 'feature_off_key' }));
const reading = (key: string) => ({ method: 'GET', path, headers: [['X-API-Key', key] as const] });
const saving = (body: string) => ({ ...reading('o'), method: 'PUT', body });
const response = (text: string, status = 200) => ({ status, headers: {}, text });

test('the watched setting is violated by another value than was saved last, whoever of the organisation reads it', () => {
  const sending = watchedSetting(ownDocument, names);
  expect(sending(saving('{"enabled":true}'))(response('{"enabled":true}'))).toEqual([]);
  expect(sending(reading('m'))(response('{"enabled":true}'))).toEqual([]);
  expect(sending(reading('m'))(response('{"enabled":false}'))).toEqual([
    { rule: 'saved value', message: 'expected enabled true, the last saved value, got false' },
  ]);
  expect(sending(reading('f'))(response('{"enabled":false}'))).toEqual([]);
  expect(sending(reading('m'))(response('{"enabled":false}', 500))).toEqual([]);
  expect(sending(reading('m'))(undefined)).toEqual([]);
});

test('the watched setting tells nothing after an update that can be read in two ways', () => {
  const sending = watchedSetting(ownDocument, names);
  sending(saving('{"enabled":true,"enabled":false}'))(response('{"enabled":false}'));
  for (const value of [true, false]) expect(sending(reading('m'))(response(`{"enabled":${value}}`))).toEqual([]);
});

describe('the watched limit', () => {
  /** Sends requests at these times, in milliseconds, which state this; each has its response before the next is sent. */
  function messagesOf(...sent: readonly [at: number, left: number, seconds: number, status?: number][]): string[] {
    const sending = watchedLimits();
    return sent.flatMap(([at, left, seconds, status = 200]) => {
      const violations = sending('a key', () => at)(stating(left, seconds, status));
      return violations.map(({ message }) => message);
    });
  }
  const stating = (left: number, seconds: number, status = 200) => ({
    status,
    headers: { ratelimit: `"credential";r=${left};t=${seconds}` },
    text: '',
  });

  test.each<[string, ...[at: number, left: number, seconds: number, status?: number][]]>([
    ['falls by one', [0, 9, 10], [1000, 8, 9], [8000, 7, 2]],
    ['falls by more, as somebody else uses it', [0, 9, 10], [1000, 3, 9]],
    ['is renewed', [0, 9, 10], [10_500, 9, 10]],
    ['may be renewed', [0, 9, 10], [9500, 9, 10]],
    ['is used up', [0, 0, 10], [1000, 0, 9, 429]],
    ['is lost with a server that fails', [0, 5, 10], [1000, 5, 9, 500], [2000, 9, 10]],
  ])('conforms if it %s', (_name, ...sent) => {
    expect(messagesOf(...sent)).toEqual([]);
  });

  const laterEnd = 'expected RateLimit with the end of the window that earlier responses state, got t=10';
  test.each<[string, string, ...[at: number, left: number, seconds: number, status?: number][]]>([
    ['does not fall', 'expected RateLimit with less than r=9, got 200 with r=9', [0, 9, 10], [1000, 9, 9]],
    ['rises', 'expected RateLimit with less than r=7, got 404 with r=8', [0, 7, 10], [1000, 8, 9, 404]],
    ['is used up for nobody', 'expected 429, got 200 with r=0', [0, 0, 10], [1000, 0, 9]],
    ['ends later and later', laterEnd, [0, 9, 10], [5000, 8, 10]],
  ])('is violated if it %s', (_name, message, ...sent) => {
    expect(messagesOf(...sent)).toEqual([message]);
  });

  test('says nothing of requests that are in flight together, or count against no known limit', () => {
    const sending = watchedLimits();
    const [first, second] = [sending('a key', () => 0), sending('a key', () => 0)];
    expect([...second(stating(8, 10)), ...first(stating(9, 10))]).toEqual([]);
    expect(sending(undefined)(stating(8, 10))).toEqual([]);
  });
});

describe('two response times', () => {
  // On the clock of the test: a loaded machine adds as much to a response as what is to be told.
  let now = 0;
  const lasting = (milliseconds: () => number) => () => Promise.resolve(void (now += milliseconds()));
  const [slow, quick] = [lasting(() => 25), lasting(() => 1)];
  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('differ if one is slower by far, each time', async () => {
    const compared = await compareTimes(slow, quick);
    expect(compared.isLarge).toBe(true);
    expect(compared.responses).toBe(48);
    expect(compared.medians).toEqual([25, 1]);
  });

  test('do not differ if both are alike, or one alone is slow', async () => {
    let asked = 0;
    const same = lasting(() => ((asked += 1) % 5 === 0 ? 15 : 1));
    const slowOnce = lasting(() => ((asked += 1) % 9 === 0 ? 60 : 1));
    expect((await compareTimes(same, same)).isLarge).toBe(false);
    const once = await compareTimes(slowOnce, quick);
    expect(once.isLarge).toBe(false);
  });
});
