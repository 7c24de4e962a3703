import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer } from '../../../src/api/connections/server.ts';

let server: Server;
/** Responses that wait to be sent. */
let waiting: ServerResponse[];
let dropped: number;
let sockets: Socket[];

beforeEach(async () => {
  [waiting, dropped, sockets] = [[], 0, []];
  server = createServer(
    (request, response) => {
      if (request.headers['x-api-key'] !== undefined) Object.assign(request, { principal: {} });
      waiting.push(response);
      server.emit('begun');
    },
    { maxConnections: 2 },
  );
  server.on('drop', () => (dropped += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A connection that the server has taken or closed. */
async function connected(): Promise<Socket> {
  const taken = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket.resume());
  await taken;
  return socket;
}

/** A connection whose request waits for its response. */
async function inWork(socket?: Socket, credential = ''): Promise<Socket> {
  const used = socket ?? (await connected());
  const begun = once(server, 'begun');
  used.write(`GET / HTTP/1.1\r\nHost: x\r\n${credential}\r\n`);
  await begun;
  return used;
}

async function respondTo(socket: Socket): Promise<void> {
  const responded = once(socket, 'data');
  waiting.shift()?.end('done');
  await responded;
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close'));

describe('past the bound, a connection is closed', () => {
  test('that has been silent for longest, and whoever comes then is served', async () => {
    const [first, second, third] = [await connected(), await connected(), await connected()];
    await closed(first);
    await respondTo(await inWork(third));
    expect([second.closed, third.closed, dropped]).toEqual([false, false, 1]);
  });

  test('whose headers never end, though it sends all the time', async () => {
    const [slow, used] = [await connected(), await inWork()];
    slow.write('GET / HTTP/1.1\r\nX: ');
    await connected();
    await closed(slow);
    await respondTo(used);
  });

  test('that was not used, before one that served a valid credential', async () => {
    const known = await inWork(undefined, 'x-api-key: valid\r\n');
    await respondTo(known);
    const unused = await connected();
    await connected();
    await closed(unused);
    await respondTo(await inWork(known));
    expect(dropped).toBe(1);
  });

  test('that served a request without a valid credential, before one that was not used', async () => {
    const [stranger, unused] = [await inWork(), await connected()];
    await respondTo(stranger);
    await connected();
    await closed(stranger);
    await respondTo(await inWork(unused));
    expect(dropped).toBe(1);
  });

  test('whose request is outside operations, if all have one in flight', async () => {
    const [known, outside] = [await inWork(), await inWork()];
    Object.assign(waiting[1]?.req ?? {}, { id: 'begun' });
    await connected();
    await closed(outside);
    await respondTo(known);
    expect(dropped).toBe(1);
  });

  test('whose client sends requests without waiting for responses, if all have a request in flight', async () => {
    const [first, pipelining] = [await inWork(), await connected()];
    const requests = once(server, 'begun');
    pipelining.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await requests;
    await connected();
    await closed(pipelining);
    await respondTo(first);
    expect(dropped).toBe(1);
  });

  test('whose client does not send the body, if all have a request in flight', async () => {
    const [first, slow] = [await inWork(), await connected()];
    const begun = once(server, 'begun');
    slow.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
    await begun;
    const third = await connected();
    await closed(slow);
    await inWork(third);
    expect([first.closed, third.closed, dropped]).toEqual([false, false, 1]);
  });

  test('whose client does not read the response, if all have a request in flight', async () => {
    const [unread, used] = [await inWork(await connected()), await inWork()];
    unread.pause();
    waiting.shift()?.end(Buffer.alloc(32 * 1024 * 1024));
    const third = await connected();
    unread.resume();
    await closed(unread);
    await inWork(third);
    expect([used.closed, third.closed, dropped]).toEqual([false, false, 1]);
  });

  test('never one with a request in flight: then it is the new one', async () => {
    const [first, second] = [await inWork(), await inWork()];
    await closed(await connected());
    await respondTo(first);
    await respondTo(second);
    expect(dropped).toBe(1);
  });

  test('not as long as one of several requests on it waits', async () => {
    const first = await inWork();
    first.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    const begun = once(server, 'begun');
    await respondTo(first);
    await begun;
    const second = await connected();
    await connected();
    await closed(second);
    await respondTo(first);
  });
});

test('connections that have ended count no longer', async () => {
  for (let round = 0; round < 3; round += 1) {
    const taken = once(server, 'connection') as Promise<[Socket]>;
    const socket = await connected();
    const [accepted] = await taken;
    socket.destroy();
    await once(accepted, 'close');
  }
  await connected();
  await connected();
  expect(dropped).toBe(0);
});
