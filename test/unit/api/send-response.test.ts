import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { canonicaliseRequest } from '../../../src/api/steps/canonical-request.ts';
import { LargeBodyPace, sendJsonText } from '../../../src/api/send-response.ts';
import { JsonInMemory, JsonText } from '../../../src/store/case-texts/json-text.ts';

const content = JSON.stringify({ label: 'ß' });
const used: string[] = [];
let isBeingWritten = false;

class Watched extends JsonText<object> {
  readonly byteLength = isBeingWritten ? undefined : Buffer.byteLength(content);
  sendTo(...to: Parameters<JsonInMemory<object>['sendTo']>): undefined {
    used.push('sent');
    new JsonInMemory<object>(content).sendTo(...to);
  }
  discard(): void {
    used.push('discarded');
  }
}

const server = createServer((incoming, response) => {
  canonicaliseRequest(Object.assign(incoming, { id: 'request-1' }));
  void sendJsonText(response, 200, new Watched());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  server.close();
});
beforeEach(() => {
  used.length = 0;
  isBeingWritten = false;
});

async function responseTo(method: string): Promise<{ length: string | undefined; text: string }> {
  const sent = request({ method, port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part as string;
  return { length: response.headers['content-length'], text };
}

test('HEAD tells the same length, and lets the text go without reading it', async () => {
  expect(await responseTo('HEAD')).toEqual({ length: String(Buffer.byteLength(content)), text: '' });
  expect(used).toEqual(['discarded']);
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
