/**
 * Removes what Node's permission model leaves to a process: the network before Node.js 25, names that are looked up,
 * signals and priorities of other processes, and V8's flags, some of which write files. This stops only JavaScript, and a
 * job without compiled code runs nothing else.
 */
import { builtinModules } from 'node:module';

/**
 * The modules that a job keeps: harmless ones, those that the permission model guards, and those that can do nothing
 * without one that is withheld. All others are withheld, also one that a later Node.js adds; a test tries each.
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
  ...[
    '_http_agent',
    '_http_client',
    '_http_common',
    '_http_incoming',
    '_http_outgoing',
    '_http_server',
    '_stream_wrap',
  ],
  ...['_tls_common', 'http', 'http2', 'https', 'tty'],
]);

/** What a job, its packages and Node.js itself call of `process`. Any other function is withheld. */
const keptOfProcess = new Set([
  ...['_fatalException', '_rawDebug', '_tickCallback', 'abort', 'availableMemory', 'constrainedMemory', 'cpuUsage'],
  ...['cwd', 'dlopen', 'emitWarning', 'exit', 'getBuiltinModule', 'hasUncaughtExceptionCaptureCallback', 'hrtime'],
  ...['memoryUsage', 'nextTick', 'reallyExit', 'ref', 'resourceUsage', 'unref', 'uptime'],
]);

const withheldGlobals = ['fetch', 'EventSource', 'WebSocket', 'localStorage', 'sessionStorage'];

/** Not an arrow function, because modules that are loaded later extend classes of a withheld one. */
function refuse(): never {
  throw Object.assign(new Error('A bounded job may not do this.'), { code: 'ERR_ACCESS_DENIED' });
}

/** Removes them permanently. No module that is withheld may have been imported before, which copies its functions. */
export function withhold(): void {
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
