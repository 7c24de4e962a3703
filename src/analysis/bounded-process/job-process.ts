import { builtinModules } from 'node:module';
import { send } from './message.ts';
import type { Job, Order } from './run-bounded.ts';

/** The descriptors after standard input, output and error. */
const outputDescriptor = 3;
const inputDescriptor = 4;

const maxMessageCharacters = 1000;

/**
 * The modules that a job keeps: harmless ones, those that the permission model guards, and those that depend on a
 * withheld one. All others are withheld, including those of later Node.js versions; a test tries each.
 */
const kept = new Set([
  ...['assert', 'assert/strict', 'async_hooks', 'buffer', 'console', 'constants', 'crypto', 'diagnostics_channel'],
  ...['domain', 'events', 'module', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode'],
  ...['querystring', 'readline', 'readline/promises', 'stream', 'stream/consumers', 'stream/promises', 'stream/web'],
  ...['string_decoder', 'sys', 'timers', 'timers/promises', 'url', 'util', 'util/types', 'vm', 'zlib', 'node:sea'],
  ...['_stream_duplex', '_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_writable'],
  // The permission model guards these.
  ...['child_process', 'cluster', 'fs', 'fs/promises', 'inspector', 'inspector/promises', 'repl', 'trace_events'],
  ...['node:test', 'node:test/reporters', 'wasi', 'worker_threads'],
  // These need net or tls.
  ...['_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing', '_http_server'],
  ...['_stream_wrap', '_tls_common', 'http', 'http2', 'https', 'tty'],
]);

/** What a job, its packages and Node.js itself call of `process`. Any other function is withheld. */
const keptOfProcess = new Set([
  ...['_fatalException', '_rawDebug', '_tickCallback', 'abort', 'availableMemory', 'constrainedMemory', 'cpuUsage'],
  ...['cwd', 'dlopen', 'emitWarning', 'exit', 'getBuiltinModule', 'hasUncaughtExceptionCaptureCallback', 'hrtime'],
  ...['memoryUsage', 'nextTick', 'reallyExit', 'ref', 'resourceUsage', 'unref', 'uptime'],
]);

const withheldGlobals = ['fetch', 'EventSource', 'WebSocket', 'localStorage', 'sessionStorage'];

// A signal that stops the whole service reaches the parent too, and the parent decides what becomes of the job.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
const parent = process.ppid;
// Where the system does not end the process with its parent. The timer also keeps the process alive until the parent ends it.
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 1000);

// Requests to the server take precedence. An import would copy the function, which is withheld next.
const os = process.getBuiltinModule('os');
// Only an administrator may raise the priority of a server that was started with a lower one.
const { PRIORITY_BELOW_NORMAL } = os.constants.priority;
if (os.getPriority() < PRIORITY_BELOW_NORMAL) os.setPriority(PRIORITY_BELOW_NORMAL);
withhold();
abortWithoutMemory();
const { job, input } = JSON.parse(process.argv[2] ?? '') as Order;
try {
  const { default: run } = (await import(job)) as { default: Job<unknown, unknown> };
  const { output, bytes } = await run(input, inputDescriptor);
  send(outputDescriptor, { outcome: 'done', output }, bytes);
} catch (error) {
  abortIfOutOfMemory(error);
  send(outputDescriptor, { outcome: 'failed', message: String(error).slice(0, maxMessageCharacters) });
}

/**
 * Aborts the process when an array cannot be allocated within the memory limit. A job could take that error for a fault
 * of the file, or continue without a part of it. V8 itself aborts when its heap is full.
 */
function abortWithoutMemory(): void {
  const bytes = [ArrayBuffer, Uint8Array, Uint8ClampedArray, Int8Array];
  for (const constructor of [...bytes, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, Float64Array]) {
    const guarded: object = new Proxy(constructor, {
      construct(target, parameters, created) {
        try {
          return Reflect.construct(target, parameters, created === guarded ? target : created) as object;
        } catch (error) {
          abortIfOutOfMemory(error);
          throw error;
        }
      },
    });
    Object.defineProperty(globalThis, constructor.name, { value: guarded });
  }
}

function abortIfOutOfMemory(error: unknown): void {
  if (error instanceof RangeError && error.message.includes('allocation failed')) process.abort();
}

/** Not an arrow function, because modules that are loaded later extend classes of a withheld one. */
function refuse(): never {
  throw Object.assign(new Error('A bounded job may not do this.'), { code: 'ERR_ACCESS_DENIED' });
}

/**
 * Removes what Node's permission model does not restrict: the network before Node.js 25, DNS, signals and priorities of
 * other processes, and V8's flags. No withheld module may have been imported before.
 */
function withhold(): void {
  // These first, because others copy their functions when they are loaded.
  for (const name of ['net', 'tls', ...builtinModules]) if (!kept.has(name)) replace(process.getBuiltinModule(name));
  replace(process.getBuiltinModule('os'), ['setPriority']);
  replace(process, undefined, keptOfProcess);
  for (const name of withheldGlobals) Object.defineProperty(globalThis, name, { value: refuse });
  // The shell that set the limits added variables of its own.
  Object.defineProperty(process, 'env', { value: {} });
}

/** Replaces these functions, or all but some. A module that a flag has taken away is undefined. */
function replace(object: object = {}, names = Object.getOwnPropertyNames(object), except = new Set<string>()): void {
  for (const name of names)
    if (typeof Object.getOwnPropertyDescriptor(object, name)?.value === 'function' && !except.has(name))
      Object.defineProperty(object, name, { value: refuse });
}
