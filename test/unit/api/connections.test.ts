import { EventEmitter, once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { TrackedServer } from '../../../src/api/connections/connection-tracker.ts';
import { createServer } from '../../../src/api/connections/server.ts';

let server: Server;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function serve(app: RequestListener, options?: Parameters<typeof createServer>[1]): Promise<void> {
  server = createServer(app, options).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function connectOne(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket.resume());
  return socket;
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Responses that wait to be sent. */
let waiting: ServerResponse[];
let dropped: number;
beforeEach(() => {
  [waiting, dropped] = [[], 0];
});

/** Serves requests that wait for their responses; one with an API key has a valid credential. */
async function serveWaiting(options?: Parameters<typeof createServer>[1]): Promise<void> {
  await serve((request, response) => {
    if (request.headers['x-api-key'] !== undefined) Object.assign(request, { principal: {} });
    waiting.push(response);
    server.emit('begun');
  }, options);
  server.on('drop', () => (dropped += 1));
}

test('a client may take 15 seconds for its headers, 30 for its request, be silent for 15 between and 60 during its response', () => {
  server = createServer(() => undefined);
  const expected = { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 15_000, timeout: 60_000 };
  expect(server).toMatchObject(expected);
});

test.each([
  ['that the client has reset', 'ECONNRESET', true],
  ['that takes no more bytes', 'HPE_INVALID_METHOD', false],
])('a connection is closed without a response: %s', (_name, code, writable) => {
  const socket = { writable, destroy: jest.fn(), end: jest.fn() };
  server = createServer(() => undefined);
  const connection = Object.assign(new EventEmitter(), socket) as unknown as Duplex;
  server.emit('clientError', Object.assign(new Error('fault'), { code }), connection);
  expect([socket.destroy.mock.calls.length, socket.end.mock.calls]).toEqual([1, []]);
});

test('while many open connections have requests, new ones are accepted several times as fast as the requests are worked on', async () => {
  let accepted = 0;
  const acceptedBefore: number[] = [];
  await serve((_request, response) => {
    acceptedBefore.push(accepted);
    response.end();
  });
  server.on('connection', () => (accepted += 1));
  const clients = 100;
  const maxPerTurn = 64;
  const connectAll = () => Array.from({ length: clients }, connectOne);
  const responded = (by: Socket[]) => Promise.all(by.map((socket) => once(socket, 'data')));

  const open = connectAll();
  for (const socket of open) socket.write(get);
  await responded(open);
  const later = connectAll();
  for (const socket of [...later, ...open]) socket.write(get);
  await responded([...later, ...open]);

  expect(acceptedBefore).toHaveLength(3 * clients);
  // Of the second round, those of one turn were worked on before it was seen that connections come, then one for four of them.
  expect(acceptedBefore[clients + maxPerTurn + 8]).toBeGreaterThan(clients + 24);
});

test('of requests that come at once on a connection, one is worked on at a time, in their order', async () => {
  await serveWaiting();
  const socket = connectOne();
  socket.write(['/1', '/2', '/3'].map((path) => get.replace('/', path)).join(''));
  for (const path of ['/1', '/2', '/3']) {
    await once(server, 'begun');
    await new Promise(setImmediate);
    expect(waiting.at(-1)?.req.url).toBe(path);
    waiting.at(-1)?.end();
  }
  expect(waiting).toHaveLength(3);
});

test('a connection is cut that sends more than a hundred requests behind one that has no response yet', async () => {
  let begun = 0;
  await serve(() => (begun += 1));
  const cut = connectOne();
  cut.write(get.repeat(102));
  const kept = connectOne();
  kept.write(get.repeat(101));
  await once(cut, 'close');
  await sleep(50);
  expect([cut.closed, kept.closed]).toEqual([true, false]);
  expect(begun).toBeLessThanOrEqual(2);
});

test('what is accepted, open, idle and in flight is counted from the first connection to the last', async () => {
  await serveWaiting();
  const { tracker } = server as TrackedServer;
  const counted = () => [tracker.accepted, tracker.open.size, tracker.idle.size, tracker.inFlight];
  const [first, second] = [await connected(), await connected()];
  expect(counted()).toEqual([2, 2, 2, 0]);
  for (const client of [first, second]) await inWork(client);
  expect(counted()).toEqual([2, 2, 0, 2]);
  const [response] = waiting;
  if (response) await once(response.end(), 'close');
  expect(counted()).toEqual([2, 2, 1, 1]);
  second.destroy();
  while (tracker.open.size > 1) await new Promise(setImmediate);
  expect(counted()).toEqual([2, 1, 1, 0]);
});

/** A connection that the server has taken or closed. */
async function connected(): Promise<Socket> {
  const taken = once(server, 'connection');
  const socket = connectOne();
  await taken;
  return socket;
}

/** A connection with a request that waits for its response. */
async function inWork(socket?: Socket, request = get): Promise<Socket> {
  const used = socket ?? (await connected());
  const begun = once(server, 'begun');
  used.write(request);
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
  beforeEach(() => serveWaiting({ maxConnections: 2 }));

  /** Opens a connection, for which this one is closed. */
  async function openInPlaceOf(socket: Socket): Promise<Socket> {
    const opened = await connected();
    await closed(socket);
    expect([opened.closed, dropped]).toEqual([false, 1]);
    return opened;
  }

  test('that has been silent for longest, and whoever comes then is served', async () => {
    const [first, second, third] = [await connected(), await connected(), await connected()];
    await closed(first);
    await respondTo(await inWork(third));
    expect([second.closed, third.closed, dropped]).toEqual([false, false, 1]);
  });

  test('whose headers never end, though it sends all the time', async () => {
    const [slow, used] = [await connected(), await inWork()];
    slow.write('GET / HTTP/1.1\r\nX: ');
    await openInPlaceOf(slow);
    await respondTo(used);
  });

  test('that was not used, before one that served a valid credential', async () => {
    const known = await inWork(undefined, get.replace('x\r\n', 'x\r\nx-api-key: valid\r\n'));
    await respondTo(known);
    const unused = await connected();
    await openInPlaceOf(unused);
    await respondTo(await inWork(known));
  });

  test('that served a request without a valid credential, before one that was not used', async () => {
    const [stranger, unused] = [await inWork(), await connected()];
    await respondTo(stranger);
    await openInPlaceOf(stranger);
    await respondTo(await inWork(unused));
  });

  test('whose request is outside operations, if all have one in flight', async () => {
    const [known, outside] = [await inWork(), await inWork()];
    Object.assign(waiting[1]?.req ?? {}, { id: 'begun' });
    await openInPlaceOf(outside);
    await respondTo(known);
  });

  test('whose client sends requests without waiting for responses, if all have a request in flight', async () => {
    const first = await inWork();
    await openInPlaceOf(await inWork(undefined, get.repeat(2)));
    await respondTo(first);
  });

  test('whose client does not send the body, if all have a request in flight', async () => {
    const first = await inWork();
    await openInPlaceOf(await inWork(undefined, 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'));
    await respondTo(first);
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
    first.write(get);
    await once(server, 'request');
    const begun = once(server, 'begun');
    await respondTo(first);
    await begun;
    const second = await connected();
    await openInPlaceOf(second);
    await respondTo(first);
  });
});
