/** Bytes after the end of a response, which the next request on the connection would get. */
import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient } from '../../contract/run/http-client.ts';
import { responding, withSocketServer } from '../support/misbehaving-servers.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';

test('a body that follows the head of a response to HEAD is part of that response', async () => {
  await withSocketServer(responding(`${head}{}`), async (url) => {
    const client = createHttpClient(5);
    const { status, text } = await client.send(url, { method: 'HEAD', path: '' });
    expect([status, text]).toEqual([200, '{}']);
    client.close();
  });
});

test('what comes too late for that is told of the response before', async () => {
  const late = (socket: Parameters<ReturnType<typeof responding>>[0]) =>
    socket.once('data', () => {
      socket.write(head);
      socket.once('data', () => socket.write(`{}${head}{}`));
    });
  await withSocketServer(late, async (url) => {
    const client = createHttpClient(5);
    await client.send(url, { method: 'HEAD', path: '' });
    // Until the connection is free for the next request.
    await sleep(50);
    await expect(client.send(`${url}/next`, { method: 'GET', path: '' })).rejects.toThrow(
      `GET ${url}/next: the response before on the connection, to HEAD ${url}, has more bytes than its head announces`,
    );
    client.close();
  });
});
