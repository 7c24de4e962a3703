import { afterEach, expect, jest, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { canonicaliseRequest } from '../../../src/api/steps/arrival.ts';
import { LargeBodyPace, sendJsonText } from '../../../src/api/send-response.ts';
import { JsonText } from '../../../src/store/case-texts/json-text.ts';

test('HEAD tells the same length, and lets the text go without reading it', async () => {
  const req = { method: 'HEAD', url: '/', id: 'request-1' } as Request;
  canonicaliseRequest(req);
  const response = { req, writeHead: jest.fn(), end: jest.fn() };
  const [sendTo, discard] = [jest.fn(), jest.fn()];
  const text = new JsonText<object>(14, sendTo as () => undefined, discard);
  await sendJsonText(response as unknown as Response, 200, text);
  expect(response.writeHead.mock.calls).toEqual([[200, expect.arrayContaining(['Content-Length', 14])]]);
  expect(response.end.mock.calls).toEqual([[]]);
  expect([sendTo.mock.calls.length, discard.mock.calls.length]).toEqual([0, 1]);
});

/** Asks for parts at once; tells which of them may be sent so far. */
function askFor(pace: LargeBodyPace, parts: number): number[] {
  const sent: number[] = [];
  for (let part = 1; part <= parts; part += 1) void pace.beforePart().then(() => sent.push(part));
  return sent;
}

afterEach(() => {
  jest.useRealTimers();
});

test('large bodies are sent as fast as they are taken while no other is', async () => {
  jest.useFakeTimers();
  const sent = askFor(new LargeBodyPace(), 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([1, 2, 3, 4, 5]);
});

test('large bodies together send a part a millisecond while others are sent, in the order in which they came', async () => {
  jest.useFakeTimers();
  const pace = new LargeBodyPace();
  pace.otherSent();
  const sent = askFor(pace, 3);
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await jest.advanceTimersByTimeAsync(Number(expected.length > 1));
    expect(sent).toEqual(expected);
  }
  await jest.advanceTimersByTimeAsync(200);
  const later = askFor(pace, 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(later).toEqual([1, 2, 3, 4, 5]);
});
