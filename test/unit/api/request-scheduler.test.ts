import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createServer } from '../../../src/api/connections/server.ts';

const clients = 100;
const mostInTurn = 64;
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function serve(app: RequestListener): Promise<void> {
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function connectOne(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket.resume());
  return socket;
}

test('while many open connections have requests, new ones are accepted several times as fast as the requests are worked on', async () => {
  let accepted = 0;
  const acceptedBefore: number[] = [];
  await serve((_request, response) => {
    acceptedBefore.push(accepted);
    response.end();
  });
  server.on('connection', () => (accepted += 1));
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
  expect(acceptedBefore[clients + mostInTurn + 8]).toBeGreaterThan(clients + 24);
});

test('of requests that come at once on a connection, one is worked on at a time, in their order', async () => {
  const begun: (string | undefined)[] = [];
  const responses: ServerResponse[] = [];
  await serve((request, response) => {
    begun.push(request.url);
    responses.push(response);
    server.emit('begun');
  });
  const socket = connectOne();
  socket.write(['/1', '/2', '/3'].map((path) => get.replace('/', path)).join(''));
  for (const path of ['/1', '/2', '/3']) {
    await once(server, 'begun');
    await new Promise(setImmediate);
    expect(begun.at(-1)).toBe(path);
    responses.at(-1)?.end();
  }
  expect(begun).toHaveLength(3);
});

test('a connection is cut that sends more than a hundred requests behind one that has no response yet', async () => {
  let begun = 0;
  await serve(() => (begun += 1));
  const cut = connectOne();
  cut.write(get.repeat(102));
  const kept = connectOne();
  kept.write(get.repeat(101));
  await once(cut, 'close');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([cut.closed, kept.closed]).toEqual([true, false]);
  expect(begun).toBeLessThanOrEqual(2);
});
