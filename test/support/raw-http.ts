import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** One response as it stood on the wire. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const silentAfterResponseMilliseconds = 100;

/** Sends bytes over one connection to a server, or to where one is on this machine, and returns every response that came until the server fell silent or closed. */
export async function sendRaw(
  server: Server | string,
  bytes: string,
  silentMilliseconds = 300,
): Promise<RawResponse[]> {
  const port = typeof server === 'string' ? Number(new URL(server).port) : (server.address() as AddressInfo).port;
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('latin1');
    socket.setTimeout(silentMilliseconds, finish);
    socket.on('data', (chunk: string) => {
      text += chunk;
      socket.setTimeout(Math.max(silentMilliseconds / 5, silentAfterResponseMilliseconds));
    });
    socket.on('close', finish);
    socket.on('error', reject);
    socket.write(bytes);
  });
  return parseResponses(received);
}

/** The responses that stand one after the other in what a connection has received. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, text: rest.slice(headEnd + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return responses;
}
