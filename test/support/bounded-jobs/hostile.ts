/** What code that has taken over a bounded job would try: with the system, and with each built-in module of Node.js. */
import { spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { createSocket } from 'node:dgram';
import { setServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import inspector from 'node:inspector';
import { builtinModules, register } from 'node:module';
import net from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import type sqlite from 'node:sqlite';
import type tests from 'node:test';
import { createTracing } from 'node:trace_events';
import { setFlagsFromString } from 'node:v8';
import { WASI } from 'node:wasi';
import { Worker } from 'node:worker_threads';

export interface Targets {
  server: number;
  /** A data directory with a file `secret`. */
  folder: string;
  port: number;
  socket: string;
  addon: string;
}

type Act = (targets: Targets) => unknown;

const load = (name: string): unknown => process.getBuiltinModule(name);
const listen = (server: net.Server): Promise<unknown> => once(server.listen(0, '127.0.0.1'), 'listening');

interface Handle {
  bind(host: string, port: number): number;
}

/** The handle below a connection can listen too. */
const listenByTls = (name: string): unknown => {
  const { TLSSocket } = load(name) as { TLSSocket: new () => { _handle: { _parent: Handle } } };
  return new TLSSocket()._handle._parent.bind('127.0.0.1', 0);
};
const inspect = ({ open, close }: typeof inspector): void => {
  open(0, '127.0.0.1');
  close();
};

const acts: Record<string, Act> = {
  'read the environment of the server': ({ server }) => readFileSync(`/proc/${server}/environ`),
  'list the data directory': ({ folder }) => readdirSync(folder),
  'write a file': ({ folder }) => {
    writeFileSync(join(folder, 'written'), 'x');
  },
  'load a native add-on': ({ addon }) => {
    process.dlopen({ exports: {} }, addon);
  },
  'connect to a port': ({ port }) => once(net.connect(port, '127.0.0.1'), 'connect'),
  'connect to a local socket': ({ socket }) => once(net.connect(socket), 'connect'),
  'fetch from an HTTP server': ({ port }) => fetch(`http://127.0.0.1:${port}`),
  'open a web socket': ({ port }) => once(new WebSocket(`ws://127.0.0.1:${port}`), 'close'),
  'signal the server': ({ server }) => process.kill(server, 0),
  'become another user': () => process.setuid?.(process.getuid?.() ?? 0),
  'reach the bindings of Node.js': () =>
    (process as unknown as { binding: (name: string) => object }).binding('tcp_wrap'),
  'write a report': ({ folder }) => process.report.writeReport(join(folder, 'written')),
  _http_agent: ({ port }) => {
    const { Agent } = load('_http_agent') as typeof http;
    return once(new Agent().createConnection({ port, host: '127.0.0.1' }) as net.Socket, 'connect');
  },
  _http_client: ({ port }) => {
    const { ClientRequest } = load('_http_client') as typeof http;
    return once(new ClientRequest(`http://127.0.0.1:${port}`).end(), 'response');
  },
  _http_server: () => listen(new (load('_http_server') as typeof http).Server()),
  _tls_wrap: () => listenByTls('_tls_wrap'),
  child_process: () => once(spawn('true'), 'spawn'),
  cluster: ({ folder }) => {
    cluster.setupPrimary({ exec: join(folder, 'secret'), silent: true });
    return once(cluster.fork(), 'exit');
  },
  dgram: () => once(createSocket('udp4').bind(0, '127.0.0.1'), 'listening'),
  dns: () => {
    setServers(['127.0.0.1']);
  },
  'dns/promises': () => lookup('localhost'),
  fs: ({ folder }) => readFileSync(join(folder, 'secret')),
  'fs/promises': ({ folder }) => readFile(join(folder, 'secret')),
  http: ({ port }) => once(http.get(`http://127.0.0.1:${port}`), 'response'),
  http2: () => listen(http2.createServer()),
  https: () => listen(https.createServer()),
  inspector: () => {
    inspect(inspector);
  },
  'inspector/promises': () => {
    inspect(load('inspector/promises') as typeof inspector);
  },
  module: () => {
    register('data:text/javascript,');
  },
  net: () => (net as unknown as { _createServerHandle: Handle['bind'] })._createServerHandle('127.0.0.1', 0),
  'node:ffi': ({ addon }) => {
    const { DynamicLibrary } = load('node:ffi') as { DynamicLibrary: new (path: string) => object };
    return new DynamicLibrary(addon);
  },
  'node:sqlite': () => new (load('node:sqlite') as typeof sqlite).DatabaseSync(':memory:'),
  'node:test': ({ folder }) =>
    once((load('node:test') as typeof tests).run({ files: [join(folder, 'secret')] }), 'test:fail'),
  os: ({ server }) => {
    setPriority(server, getPriority(server));
  },
  tls: () => listenByTls('tls'),
  trace_events: () => {
    createTracing({ categories: ['node'] }).enable();
  },
  v8: () => {
    setFlagsFromString('--stack-size=900');
  },
  wasi: ({ folder }) => new WASI({ version: 'preview1', preopens: { '/': folder } }),
  // Node.js lets a thread do whatever its creator may not.
  worker_threads: () => once(new Worker('', { eval: true, execArgv: [] }), 'online'),
};

/** Modules that reach nothing outside of the process. Of a new one somebody has to decide whether it is harmless. */
const harmless = [
  ...['assert', 'assert/strict', 'async_hooks', 'buffer', 'console', 'constants', 'crypto', 'diagnostics_channel'],
  ...['domain', 'events', 'path', 'path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode', 'querystring'],
  ...['readline', 'readline/promises', 'stream', 'stream/consumers', 'stream/promises', 'stream/web', 'sys', 'url'],
  ...['string_decoder', 'timers', 'timers/promises', 'util', 'util/types', 'vm', 'zlib', 'node:sea', 'tty'],
  ...['_stream_duplex', '_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_writable'],
  ...['_http_common', '_http_incoming', '_http_outgoing', '_stream_wrap', '_tls_common', 'repl'],
  'node:test/reporters',
];

/** Before Node.js 23.5 these are not listed. */
const unlisted = ['node:sqlite', 'node:test'];

/** Tries everything, or the acts with these names, and tells what came of each: `done`, or what refused it. */
export default async function attack(targets: Targets, names?: unknown): Promise<{ output: Record<string, string> }> {
  const modules = [...builtinModules, ...unlisted].filter((name) => !harmless.includes(name));
  const all = new Set([...Object.keys(acts).filter((name) => name.includes(' ')), ...modules]);
  const damage: Record<string, string> = {};
  for (const name of Array.isArray(names) ? (names as string[]) : all)
    try {
      if (!acts[name]) throw new Error('nobody has decided whether it is harmless');
      await acts[name](targets);
      damage[name] = 'done';
    } catch (error) {
      const { code, cause } = error as NodeJS.ErrnoException;
      damage[name] = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? String(error);
    }
  return { output: damage };
}
