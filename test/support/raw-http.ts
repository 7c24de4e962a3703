import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
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

/** A connection to a server, or to where one is on this machine, and what has come over it. */
export async function openConnection(server: Server | string, { allowHalfOpen = false } = {}) {
  const port = typeof server === 'string' ? Number(new URL(server).port) : (server.address() as AddressInfo).port;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen }).on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await once(socket, 'connect');
  const responses = () => parseResponses(text);
  return { socket, text: () => text, responses, statuses: () => responses().map(({ status }) => status) };
}

/** The same, with the connection as a server of this process has it. */
export async function openBothEnds(server: Server, options?: Parameters<typeof openConnection>[1]) {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const [[serverSide], connection] = await Promise.all([accepted, openConnection(server, options)]);
  return { ...connection, serverSide };
}

/** Sends bytes over one connection, and gives the responses until the server falls silent or closes, or as many as are wanted. */
export async function sendRaw(
  server: Server | string,
  bytes: string,
  silentMilliseconds?: number,
  wanted = Infinity,
): Promise<RawResponse[]> {
  const { socket, responses } = await openConnection(server);
  let turnsLeft = (silentMilliseconds ?? silentBeforeResponseMilliseconds) / turnMilliseconds;
  const turns = setInterval(() => {
    if ((turnsLeft -= 1) <= 0) socket.destroy();
  }, turnMilliseconds);
  socket.on('data', () => {
    turnsLeft = Math.max((silentMilliseconds ?? 0) / 5, silentAfterResponseMilliseconds) / turnMilliseconds;
    if (responses().filter(({ isWhole }) => isWhole).length >= wanted) socket.destroy();
  });
  socket.write(bytes);
  await once(socket, 'close');
  clearInterval(turns);
  return responses();
}

/** The same, for the first response; undefined if none came. */
export async function sendOne(server: Server | string, bytes: string): Promise<RawResponse | undefined> {
  return (await sendRaw(server, bytes, undefined, 1))[0];
}

/** The responses that stand one after the other in what a connection has received. */
function parseResponses(text: string): RawResponse[] {
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
