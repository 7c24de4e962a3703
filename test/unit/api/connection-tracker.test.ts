import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { tracked, type TrackedServer } from '../../../src/api/connections/connection-tracker.ts';

let server: TrackedServer;
let responses: ServerResponse[];
let told: string[];

beforeEach(async () => {
  [responses, told] = [[], []];
  server = tracked(createServer());
  server.tracker.observe({
    opened: () => told.push('opened'),
    begins: ([request, response]) => {
      told.push(`begins ${String(request.url)}`);
      responses.push(response);
    },
    ends: ({ inFlight }) => told.push(`ends, ${inFlight.length} left`),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function connected(): Promise<Socket> {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await accepted;
  return socket;
}

async function send(socket: Socket, path: string): Promise<void> {
  const came = once(server, 'request');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await came;
}

async function respond(): Promise<void> {
  const response = responses.shift();
  response?.end();
  if (response) await once(response, 'close');
}

const state = ({ tracker }: TrackedServer) => ({
  accepted: tracker.accepted,
  open: tracker.open.size,
  idle: tracker.idle.size,
  inFlight: tracker.inFlight,
});

test('what is open, idle and in flight is counted from the first connection to the last', async () => {
  const [first, second] = [await connected(), await connected()];
  expect(state(server)).toEqual({ accepted: 2, open: 2, idle: 2, inFlight: 0 });

  await send(first, '/1');
  await send(first, '/2');
  await send(second, '/3');
  expect(state(server)).toEqual({ accepted: 2, open: 2, idle: 0, inFlight: 3 });

  await respond();
  expect(state(server)).toEqual({ accepted: 2, open: 2, idle: 0, inFlight: 2 });
  await respond();
  expect(state(server)).toEqual({ accepted: 2, open: 2, idle: 1, inFlight: 1 });

  const [last] = [...server.tracker.open.values()].slice(-1);
  second.destroy();
  await once(last?.socket as Socket, 'close');
  expect(state(server)).toEqual({ accepted: 2, open: 1, idle: 1, inFlight: 0 });
  expect(told).toEqual([
    'opened',
    'opened',
    'begins /1',
    'begins /2',
    'begins /3',
    'ends, 1 left',
    'ends, 0 left',
    'ends, 0 left',
  ]);
});

test('a connection that is dropped is closed, and idle no longer', async () => {
  await connected();
  const [connection] = server.tracker.idle;
  if (!connection) throw new Error('No connection is idle.');
  server.tracker.drop(connection);
  expect(server.tracker.idle.size).toBe(0);
  await once(connection.socket, 'close');
  expect(server.tracker.open.size).toBe(0);
});
