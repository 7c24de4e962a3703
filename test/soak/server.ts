import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseMetrics } from '../support/prometheus.ts';
import type { SoakData } from './data.ts';

/** What the server says of itself; with workers, of all of them together. */
export interface ServerState {
  readonly rssMiB: number;
  readonly heapMiB: number;
  /** The longest since the last reading; with workers, the mean of theirs. */
  readonly lagMilliseconds: number;
  readonly connections: number;
}

/** A server as a process of its own. */
export interface SoakServer {
  readonly origin: string;
  /** What it wrote to stderr beside its log of what went well. */
  readonly complaints: string[];
  /** @throws {Error} if its operations port does not respond */
  state(): Promise<ServerState>;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<number | string>;
  /** Ends it, and resolves to its exit code or the signal that ended it. */
  stop(): Promise<number | string>;
}

/** Starts the server. Of its limits, only those on the rate of a credential and of an address are not the default ones. */
export async function startServer(command: readonly string[], workers: number, data: SoakData): Promise<SoakServer> {
  const limits = {
    RATE_LIMIT_REQUESTS: '1000000',
    RATE_LIMIT_FAILED_AUTHENTICATIONS: '1000000',
    RATE_LIMIT_PUBLIC_REQUESTS: '1000000',
  };
  // In a process group of its own, so that Ctrl-C ends the load first.
  const child = spawn(process.execPath, [...command, 'serve', '--workers', String(workers)], {
    env: { ...process.env, ...data.environment, ...limits, PORT: '0', OPS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const complaints: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (!/^\{"level":(10|20|30),/.test(line)) complaints.push(line);
  });
  const [origin, ops] = await new Promise<string[]>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const urls = [/ on (\S+)(?: with \d+ workers)?\n/, /metrics on (\S+)\n/].flatMap(
        (text) => text.exec(said)?.[1] ?? [],
      );
      if (urls.length === 2) resolve(urls);
    });
    void ended.then((how) => {
      reject(new Error(`the server ended (${how}): ${complaints.join('\n')}`));
    });
  });

  return {
    origin: origin ?? '',
    complaints,
    ended,
    state: async () => {
      const series = parseMetrics(await (await fetch(`${ops}/metrics`)).text());
      const valueOf = (wanted: string) => series.find(({ name }) => name === wanted)?.value ?? NaN;
      return {
        rssMiB: valueOf('process_resident_memory_bytes') / 2 ** 20,
        heapMiB: valueOf('nodejs_heap_size_used_bytes') / 2 ** 20,
        lagMilliseconds: valueOf('nodejs_eventloop_lag_max_seconds') * 1000,
        connections: valueOf('http_server_open_connections'),
      };
    },
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
