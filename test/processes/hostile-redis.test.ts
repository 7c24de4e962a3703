/** A server whose Redis says anything: what is no count is an unavailable Redis, and nothing ends the server. */
import type { Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { settingPath } from '../support/harness.ts';
import { serveBytes } from '../support/misbehaving-servers.ts';
import { addTenant, startServer } from '../support/process.ts';

const text = (value: string) => `$${value.length}\r\n${value}\r\n`;
const counted = text('1 1000');
const ok = '+OK\r\n';
const info = 'redis_version:7.2.4\r\nredis_mode:standalone';
const deep = '*1\r\n'.repeat(20_000);

/** What the Redis of the tests replies to a count, and to the commands of a new connection. */
const replies = { toCount: counted, toHandshake: ok, onConnection: '' };
let counts = 0;
let handshakes = 0;

function serveRedis(socket: Socket): void {
  socket.write(replies.onConnection);
  socket.on('data', (sent) => {
    for (const [command] of sent.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n\w+/g))
      if (/eval/i.test(command)) {
        counts += 1;
        socket.write(replies.toCount);
      } else if (/info/i.test(command)) socket.write(`$${info.length}\r\n${info}\r\n`);
      else {
        handshakes += 1;
        socket.write(replies.toHandshake);
      }
  });
}

const environment = {
  REDIS_URL: `redis://${new URL(await serveBytes(serveRedis)).host}`,
  ...{ RATE_LIMIT_WHEN_UNAVAILABLE: 'closed', RATE_LIMIT_REQUESTS: '600' },
};
const { url, dataDir } = await startServer({ args: ['--no-analysis'], environment });
const { key } = await addTenant(dataDir);
const call = () => fetch(url + settingPath, { headers: { 'x-api-key': key } });

async function callsUntil(isDone: (response: Response) => boolean): Promise<Response[]> {
  const responses: Response[] = [];
  for (;;) {
    const response = await call();
    responses.push(response);
    if (isDone(response)) return responses;
  }
}

// A server recovers from whatever it was told.
afterEach(async () => {
  Object.assign(replies, { toCount: counted, toHandshake: ok, onConnection: '' });
  const response = (await callsUntil(({ status }) => status === 200)).at(-1);
  expect(response?.headers.get('ratelimit')).toBe('"credential";r=599;t=1');
});

test.each([
  ['null', '$-1\r\n'],
  ['a null array', '*-1\r\n'],
  ['null of RESP3', '_\r\n'],
  ['an array of a count', `*1\r\n${counted}`],
  ['an array of numbers', '*2\r\n:1\r\n:60000\r\n'],
  ['pairs, as of a transaction', '*2\r\n*2\r\n$-1\r\n:1\r\n*2\r\n$-1\r\n:60000\r\n'],
  ['deeply nested arrays', deep],
  ['a number', ':1\r\n'],
  ['a text', ok],
  ['a text that begins with a number', text('1ab 60000')],
  ['a line after the numbers', text('1 60000\n')],
  ['floats', text('1.5 60000.5')],
  ['floats that call themselves integers', '*2\r\n:1.5\r\n:60000\r\n'],
  ['huge numbers', text(`${'9'.repeat(400)} 60000`)],
  ['a huge time', text('1 9007199254740991')],
  ['a time beyond the window', text('1 60001')],
  ['a negative count', text('-5 60000')],
  ['no request counted', text('0 60000')],
  ['a map', '%1\r\n:1\r\n:60000\r\n'],
  ['an error', '-ERR no\r\n'],
  ['an error without words', '-\r\n'],
  ['an error in bytes', '!6\r\nERR no\r\n'],
  ['a script that it does not know, for ever', '-NOSCRIPT no\r\n'],
  ['that it moved', '-MOVED 1 127.0.0.1:1\r\n'],
  ['a type that there is none', '@what\r\n'],
  ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['a text of unending length', `$99999999999\r\n${'x'.repeat(200_000)}`],
  ['an array of unending length', '*99999999999\r\n:1\r\n'],
  ['a line that does not end', `+${'x'.repeat(200_000)}`],
  ['a push', '>2\r\n$7\r\nmessage\r\n$1\r\nx\r\n'],
  ['a push of null', '>1\r\n_\r\n'],
  ['a push of a subscription', '>3\r\n$9\r\nsubscribe\r\n_\r\n:1\r\n'],
  ['an unsubscription', '>3\r\n$12\r\nsunsubscribe\r\n$1\r\nx\r\n:0\r\n'],
])('to a count it replies %s: unavailable', async (_name, reply) => {
  const before = counts;
  replies.toCount = reply;
  const responses = await callsUntil(() => counts > before);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 503));
});

test.each([
  ['null', '$-1\r\n'],
  ['null of RESP3', '_\r\n'],
  ['deeply nested arrays', `${deep}:1\r\n`],
  ['a push of null', '>1\r\n_\r\n'],
  ['a second count', counted],
  ['an error', '-ERR max number of clients reached\r\n'],
])('unasked, after a count, it says %s: the server goes on', async (_name, more) => {
  replies.toCount = counted + more;
  expect((await callsUntil(({ status }) => status === 200)).length).toBeGreaterThan(0);
  // The next call comes when the server has heard it.
  await call();
});

test.each([
  ['null', '', '$-1\r\n'],
  ['deeply nested arrays', '', `${deep}:1\r\n`],
  ['an error', '', '-NOAUTH no\r\n'],
  ['null before it is asked', '$-1\r\n', ok],
  ['null of RESP3 before it is asked', '_\r\n', ok],
  ['an error before it is asked', '-ERR max number of clients reached\r\n', ok],
])('to a new connection it says %s: the server goes on', async (_name, onConnection, toHandshake) => {
  const before = handshakes;
  Object.assign(replies, { onConnection, toHandshake, toCount: '_\r\n' });
  await callsUntil(() => handshakes > before);
});
