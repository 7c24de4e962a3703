/** What code that has taken over a bounded job would try. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { register } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What there is to attack. */
export interface Targets {
  /** The process id of the server. */
  server: number;
  /** A data directory with a file `secret`. */
  folder: string;
  /** Where an HTTP server listens. */
  port: number;
  /** Where PostgreSQL would listen. */
  socket: string;
  /** A compiled add-on. */
  addon: string;
}

const acts: Record<string, (targets: Targets) => unknown> = {
  'read the environment of the server': ({ server }) => readFileSync(`/proc/${server}/environ`),
  'list the data directory': ({ folder }) => readdirSync(folder),
  'read a file of the data directory': ({ folder }) => readFileSync(join(folder, 'secret')),
  'write a file': ({ folder }) => {
    writeFileSync(join(folder, 'written'), 'x');
  },
  'leave a process behind': () => once(spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }), 'spawn'),
  'load a native add-on': ({ addon }) => {
    process.dlopen({ exports: {} }, addon);
  },
  // Node.js lets a thread do whatever its creator may not.
  'start a thread': () => once(new Worker('', { eval: true, execArgv: [] }), 'online'),
  'start a thread of module hooks': () => {
    register('data:text/javascript,');
  },
  'connect to a port': ({ port }) => once(connect(port, '127.0.0.1'), 'connect'),
  'connect to a local socket': ({ socket }) => once(connect(socket), 'connect'),
  'ask an HTTP server': ({ port }) => once(get(`http://127.0.0.1:${port}`), 'response'),
  'fetch from an HTTP server': ({ port }) => fetch(`http://127.0.0.1:${port}`),
  'send a datagram': ({ port }) => {
    createSocket('udp4').send('x', port, '127.0.0.1');
  },
  'open a web socket': ({ port }) => once(new WebSocket(`ws://127.0.0.1:${port}`), 'close'),
  'signal the server': ({ server }) => process.kill(server, 0),
  'become another user': () => process.setuid?.(process.getuid?.() ?? 0),
  'reach the bindings of Node.js': () =>
    (process as unknown as { binding: (name: string) => object }).binding('tcp_wrap'),
  'write a report': ({ folder }) => process.report.writeReport(join(folder, 'written')),
};

/** Tries everything, or the acts with these names, and tells what came of each: `done`, or what refused it. */
export default async function attack(targets: Targets, names?: unknown): Promise<{ output: Record<string, string> }> {
  const damage: Record<string, string> = {};
  for (const name of Array.isArray(names) ? (names as string[]) : Object.keys(acts))
    try {
      await acts[name]?.(targets);
      damage[name] = 'done';
    } catch (error) {
      const { code, cause } = error as NodeJS.ErrnoException;
      damage[name] = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? String(error);
    }
  return { output: damage };
}
