import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';

/** One response as it stood on the wire. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Whether all of its body has come. */
  isWhole: boolean;
}

/** Long enough for the first response on a loaded machine. */
const silentBeforeResponseMilliseconds = 5000;
const silentAfterResponseMilliseconds = 300;

/** Silence is counted in turns of this process, in which the server is too: while it is held up, nobody is silent. */
const turnMilliseconds = 30;

/**
 * Sends bytes over one connection to a server, or to where one is on this machine, and returns every response that came until
 * the server fell silent or closed, or until there were as many as are wanted.
 */
export async function sendRaw(
  server: Server | string,
  bytes: string,
  silentMilliseconds?: number,
  wanted = Infinity,
): Promise<RawResponse[]> {
  const port = typeof server === 'string' ? Number(new URL(server).port) : (server.address() as AddressInfo).port;
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let turnsLeft = (silentMilliseconds ?? silentBeforeResponseMilliseconds) / turnMilliseconds;
    const turns = setInterval(() => {
      if ((turnsLeft -= 1) <= 0) socket.destroy();
    }, turnMilliseconds);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      turnsLeft = Math.max((silentMilliseconds ?? 0) / 5, silentAfterResponseMilliseconds) / turnMilliseconds;
      if (parseResponses(text).filter(({ isWhole }) => isWhole).length >= wanted) socket.destroy();
    });
    socket.on('close', () => {
      clearInterval(turns);
      resolve(text);
    });
    socket.on('error', reject);
    socket.write(bytes);
  });
  return parseResponses(received);
}

/** The same, for the first response; undefined if none came. */
export async function sendOne(server: Server | string, bytes: string): Promise<RawResponse | undefined> {
  return (await sendRaw(server, bytes, undefined, 1))[0];
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
    const isWhole = headEnd >= 0 && rest.length >= bodyEnd;
    const status = Number(statusLine.split(' ')[1]);
    responses.push({ status, headers, text: rest.slice(headEnd + 4, bodyEnd), isWhole });
    rest = rest.slice(bodyEnd);
  }
  return responses;
}
