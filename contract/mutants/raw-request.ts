import { connect } from 'node:net';
import type { ProxiedResponse } from './mutant.ts';

/** Sends bytes that are not HTTP to a server, and reads the response with which it closes the connection. */
export async function forwardRaw({ hostname, port }: URL, bytes: Buffer): Promise<ProxiedResponse> {
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.on('error', reject).on('close', () => {
      resolve(received);
    });
  });
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(/: ?(.*)/s);
    return [name.toLowerCase(), value];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}
