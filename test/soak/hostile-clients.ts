/** The clients that mean harm, in a process of their own. `hostile.ts` starts it, and tells it when to begin and to end. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileOrder, HostileReport } from './hostile.ts';
import { settingPath } from './steady-load.ts';

const pauseMilliseconds = 1000;
/** More than one address, since each has only some 28,000 ports for its connections, and used ones rest for a while. */
const addresses = 10;

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
  return {
    'connected, silent': { count: idleConnections, begin: () => undefined },
    'headers byte by byte': {
      count: 100,
      begin: (socket) => socket.write(`GET / HTTP/1.1\r\n${host}X: `),
      trickle: 'x',
    },
    'body byte by byte': {
      count: 100,
      begin: (socket) => socket.write(`${put}Content-Length: 1000\r\n\r\n`),
      trickle: ' ',
    },
    'reads no response': { count: 20, begin: (socket) => socket.pause().write(get.repeat(100)) },
    'headers of 20 KiB': {
      count: 10,
      begin: (socket) => socket.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20 * 1024)}\r\n\r\n`),
    },
    'no HTTP': { count: 10, begin: (socket) => socket.write(randomBytes(64)) },
  };
}

const stop = new AbortController();
// Every client listens for the end.
setMaxListeners(0, stop.signal);

async function converse(
  port: number,
  address: string,
  { begin, trickle }: Client,
  report: HostileReport,
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address });
  let drops: NodeJS.Timeout | undefined;
  const seen = { connected: false, responded: false };
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        seen.responded = true;
        report.responses[status] = (report.responses[status] ?? 0) + 1;
      }
    });
  socket.once('connect', () => {
    seen.connected = true;
    report.connections += 1;
    report.open += 1;
    report.mostOpen = Math.max(report.mostOpen, report.open);
    begin(socket);
    if (trickle !== undefined) drops = setInterval(() => socket.write(trickle), 1000);
  });
  const end = () => socket.destroy();
  stop.signal.addEventListener('abort', end);
  await new Promise((resolve) => socket.once('close', resolve));
  stop.signal.removeEventListener('abort', end);
  clearInterval(drops);
  if (stop.signal.aborted) return;
  if (seen.connected) report.open -= 1;
  else report.notConnected += 1;
  if (seen.connected && !seen.responded) report.closedWithoutResponse += 1;
}

async function repeat(index: number, client: Client, order: HostileOrder, report: HostileReport): Promise<void> {
  const address = process.platform === 'linux' ? `127.0.0.${2 + (index % addresses)}` : '127.0.0.1';
  await pause((order.rampMilliseconds * index) / client.count);
  while (!stop.signal.aborted) {
    await converse(order.port, address, client, report);
    await pause(pauseMilliseconds);
  }
}

const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined);

process.once('message', (order: HostileOrder) => {
  const clients = Object.entries(clientsOf(order));
  const reports = clients.map(([name]): HostileReport => {
    return { name, connections: 0, open: 0, mostOpen: 0, notConnected: 0, closedWithoutResponse: 0, responses: {} };
  });
  process.once('message', () => {
    stop.abort();
    process.send?.(reports, () => {
      process.exit();
    });
  });
  clients.forEach(([, client], kind) => {
    const report = reports[kind];
    if (report) for (let index = 0; index < client.count; index += 1) void repeat(index, client, order, report);
  });
});
process.once('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
