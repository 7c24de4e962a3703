/** Clients that mean harm, in a process of their own, so that they hold up nothing of the steady load. */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingPath } from './steady-load.ts';

const pauseMilliseconds = 1000;
/** More than one address, since each has only some 28,000 ports for its connections, and used ones rest for a while. */
const addresses = 10;

/** What the clients need to know. */
export interface HostileOrder {
  readonly port: number;
  readonly idleConnections: number;
  /** Over how long the clients of each kind begin. */
  readonly rampMilliseconds: number;
  readonly ownerKey: string;
  readonly accessToken: string;
  readonly caseId: string;
}

/** What the clients of one kind met. */
export interface HostileReport {
  readonly name: string;
  connections: number;
  /** How many responses of each status came. */
  readonly responses: Record<string, number>;
}

/** Starts the clients; what is returned ends them and tells what they met. */
export function startHostileClients(order: HostileOrder): () => Promise<HostileReport[]> {
  const child = fork(import.meta.filename, { detached: true });
  child.send(order);
  return async () => {
    const reported = once(child, 'message');
    child.send('stop');
    const [reports] = (await reported) as [HostileReport[]];
    return reports;
  };
}

interface Client {
  readonly count: number;
  /** Sends what the client sends at first. */
  readonly begin: (socket: Socket) => void;
  /** What it sends each second after that. */
  readonly trickle?: string;
}

function clientsOf({ idleConnections, ownerKey, accessToken, caseId }: HostileOrder): Record<string, Client> {
  const host = 'Host: soak\r\n';
  const get = `GET /cases/${caseId} HTTP/1.1\r\n${host}Authorization: Bearer ${accessToken}\r\n\r\n`;
  const put = `PUT ${settingPath} HTTP/1.1\r\n${host}x-api-key: ${ownerKey}\r\nContent-Type: application/json\r\n`;
  const sending = (bytes: string | Buffer) => (socket: Socket) => void socket.write(bytes);
  return {
    'connected, silent': { count: idleConnections, begin: () => undefined },
    'headers byte by byte': { count: 100, begin: sending(`GET / HTTP/1.1\r\n${host}X: `), trickle: 'x' },
    'body byte by byte': { count: 100, begin: sending(`${put}Content-Length: 1000\r\n\r\n`), trickle: ' ' },
    'reads no response': { count: 20, begin: (socket) => socket.pause().write(get.repeat(100)) },
    'headers of 20 KiB': { count: 10, begin: sending(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20 * 1024)}\r\n\r\n`) },
    'no HTTP': { count: 10, begin: sending(randomBytes(64)) },
  };
}

const stop = new AbortController();
const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined);

async function converse(port: number, localAddress: string, client: Client, report: HostileReport): Promise<void> {
  let drops: NodeJS.Timeout | undefined;
  const socket = connect({ port, host: '127.0.0.1', localAddress, signal: stop.signal })
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g))
        report.responses[status] = (report.responses[status] ?? 0) + 1;
    })
    .once('connect', () => {
      report.connections += 1;
      client.begin(socket);
      if (client.trickle !== undefined) drops = setInterval(sendDrop, 1000, client.trickle);
    });
  const sendDrop = (drop: string) => socket.write(drop);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drops);
}

/** A client that connects again after each close. */
async function repeat(index: number, client: Client, order: HostileOrder, report: HostileReport): Promise<void> {
  const address = process.platform === 'linux' ? `127.0.0.${2 + (index % addresses)}` : '127.0.0.1';
  await pause((order.rampMilliseconds * index) / client.count);
  while (!stop.signal.aborted) {
    await converse(order.port, address, client, report);
    await pause(pauseMilliseconds);
  }
}

function attack(order: HostileOrder): void {
  const reports = Object.entries(clientsOf(order)).map(([name, client]) => {
    const report: HostileReport = { name, connections: 0, responses: {} };
    for (let index = 0; index < client.count; index += 1) void repeat(index, client, order, report);
    return report;
  });
  process.once('message', () => {
    stop.abort();
    process.send?.(reports, () => process.exit());
  });
}

if (process.argv[1] === import.meta.filename) {
  // Every client listens for the end.
  setMaxListeners(0, stop.signal);
  process.once('message', attack);
  process.once('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}
