import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeptConnection, openConnection, requestBytes } from '../../../bench/connection.ts';

const request = requestBytes('GET', '/', {});
const closing = 'then it closes the connection';

let server: Server | undefined;

afterEach(() => {
  server?.close();
});

/** Connects to a server that responds to each request with these parts, each in a packet of its own. */
async function connectionTo(parts: readonly string[]): Promise<KeptConnection> {
  const listening = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    const respond = async () => {
      for (const part of parts) {
        if (part === closing) socket.destroy();
        else socket.write(part);
        await sleep(10);
      }
    };
    socket.on('data', () => void respond());
  }).listen(0, '127.0.0.1');
  server = listening;
  await once(listening, 'listening');
  return openConnection((listening.address() as AddressInfo).port);
}

test.each([
  ['at once', ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}']],
  ['cut within its header section', ['HTTP/1.1 200 OK\r\nConte', 'nt-Length: 2\r\n\r', '\n{}']],
  ['cut within its body', ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"', ':"b"}']],
  ['in chunks', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"a":"b0"', '}\r\n0\r\n', '\r\n']],
])('a kept connection waits for the whole of a response that comes %s, time and again', async (_how, parts) => {
  const connection = await connectionTo(parts);
  for (let time = 0; time < 2; time += 1) expect(await connection.exchange(request)).toBe(200);
  connection.close();
});

test('a kept connection fails when it is lost before the response is whole', async () => {
  const connection = await connectionTo(['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{', closing]);
  await expect(connection.exchange(request)).rejects.toThrow('the server closed the connection');
});
