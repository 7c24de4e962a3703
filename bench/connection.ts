/**
 * A persistent connection that sends requests one at a time. It is written by hand, because a client library would take
 * a large part of the load generator's core.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Buffer {
  const all = {
    Host: 'localhost',
    ...headers,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/** A connection that is kept from request to request. */
export type KeptConnection = Awaited<ReturnType<typeof openConnection>>;

const bufferBytes = 64 * 1024;

export async function openConnection(port: number) {
  let take: (chunk: Buffer) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  // One buffer for all data: a new one for each part of a large response would cost more than reading it.
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  const callback = (bytes: number) => {
    take(buffer.subarray(0, bytes));
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
  socket.on('error', (error) => {
    fail(error);
  });
  socket.on('close', () => {
    fail(new Error('the server closed the connection'));
  });
  await once(socket, 'connect');
  return {
    /** Sends a request. Resolves to the status. @throws {Error} if the connection ends before the whole response has come */
    exchange: (request: Buffer) =>
      new Promise<number>((resolve, reject) => {
        const read = responseReader();
        fail = reject;
        take = (chunk) => {
          const status = read(chunk);
          if (status !== undefined) resolve(status);
        };
        socket.write(request);
      }),
    close: () => {
      fail = () => undefined;
      socket.destroy();
    },
  };
}

/**
 * Returns the status at the end of a response. All servers send a Content-Length; without one, the body would be read
 * as the next response, whose status is then wrong.
 */
function responseReader(): (chunk: Buffer) => number | undefined {
  let head = '';
  let status = 0;
  let left = NaN;
  return (chunk) => {
    let body = chunk;
    if (status === 0) {
      const before = head.length;
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return undefined;
      status = Number(head.slice(9, 12));
      left = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1]);
      body = chunk.subarray(end + 4 - before);
    }
    left -= body.length;
    return left > 0 ? undefined : status;
  };
}
