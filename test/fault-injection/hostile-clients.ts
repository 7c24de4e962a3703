/** Clients that mean harm, in a process of their own, so that they hold up nothing of the load beside them. */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../generated/operations.ts';

const pauseMilliseconds = 1000;
/** More than one address, since each has only some 28,000 ports for its connections, and used ones rest for a while. */
const addresses = 10;

/** What the clients need to know. */
export interface HostileOrder {
  readonly port: number;
  readonly idleConnections: number;
  /** Over how long the clients of each kind begin. */
  readonly rampMilliseconds: number;
  readonly key: string;
  readonly token: string;
  readonly caseId: string;
}

/** Starts the clients; what is returned ends them, and tells how many connections those of each kind had. */
export function startHostileClients(order: HostileOrder): () => Promise<Record<string, number>> {
  const child = fork(import.meta.filename, { detached: true });
  child.send(order);
  return async () => {
    const reported = once(child, 'message');
    child.send('stop');
    const [connections] = (await reported) as [Record<string, number>];
    return connections;
  };
}

interface Client {
  readonly count: number;
  /** What the client sends at first. */
  readonly sent?: string | Buffer;
  /** What it sends each second after that. */
  readonly trickle?: string;
  readonly readsNothing?: true;
}

function clientsOf({ idleConnections, key, token, caseId }: HostileOrder): Record<string, Client> {
  const { path } = operations.updateVerificationSetting;
  const get = `GET /cases/${caseId} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const put = `PUT ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n`;
  return {
    'connected, silent': { count: idleConnections },
    'headers byte by byte': { count: 100, sent: 'GET / HTTP/1.1\r\nHost: x\r\nX: ', trickle: 'x' },
    'body byte by byte': { count: 100, sent: `${put}Content-Length: 1000\r\n\r\n`, trickle: ' ' },
    'reads no response': { count: 20, sent: get.repeat(100), readsNothing: true },
    'headers of 20 KiB': { count: 10, sent: `GET / HTTP/1.1\r\nX: ${'x'.repeat(20 * 1024)}\r\n\r\n` },
    'no HTTP': { count: 10, sent: randomBytes(64) },
  };
}

const stop = new AbortController();
const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined);

async function converse(port: number, localAddress: string, client: Client, onConnect: () => void): Promise<void> {
  const { sent, trickle, readsNothing } = client;
  let drops: NodeJS.Timeout | undefined;
  const socket = connect({ port, host: '127.0.0.1', localAddress, signal: stop.signal })
    .on('error', () => undefined)
    .once('connect', () => {
      onConnect();
      if (!readsNothing) socket.resume();
      if (sent !== undefined) socket.write(sent);
      if (trickle !== undefined) drops = setInterval(() => socket.write(trickle), 1000);
    });
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drops);
}

/** Has the clients of each kind connect, and again after each close. */
function attack(order: HostileOrder): void {
  const connections: Record<string, number> = {};
  const repeat = async (name: string, client: Client, index: number) => {
    const address = process.platform === 'linux' ? `127.0.0.${2 + (index % addresses)}` : '127.0.0.1';
    await pause((order.rampMilliseconds * index) / client.count);
    while (!stop.signal.aborted) {
      await converse(order.port, address, client, () => (connections[name] = (connections[name] ?? 0) + 1));
      await pause(pauseMilliseconds);
    }
  };
  for (const [name, client] of Object.entries(clientsOf(order)))
    for (let index = 0; index < client.count; index += 1) void repeat(name, client, index);
  process.once('message', () => {
    stop.abort();
    process.send?.(connections, () => process.exit());
  });
}

if (process.argv[1] === import.meta.filename) {
  // Every client listens for the end.
  setMaxListeners(0, stop.signal);
  process.once('message', attack);
  process.once('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}
