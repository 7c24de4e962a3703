import { parseMetrics } from '../support/prometheus.ts';
import { type ProgramProcess, serving, startNode, told } from '../support/process.ts';
import type { SoakData } from './data.ts';

/** What the server says of itself. */
export interface ServerState {
  readonly rssMiB: number;
  readonly heapMiB: number;
  /** The longest since the last reading. */
  readonly lagMilliseconds: number;
  readonly connections: number;
}

/** A server as a process of its own. */
export interface SoakServer extends ProgramProcess {
  readonly origin: string;
  /** @throws {Error} if its operations port does not respond */
  state(): Promise<ServerState>;
}

/** What the server has written to stderr beside its log of what went well. */
export function complaintsOf({ stderr }: SoakServer): string[] {
  return stderr()
    .split('\n')
    .filter((line) => line !== '' && !/^\{"level":(10|20|30),/.test(line));
}

/** Starts the server. Of its limits, only those on the rate of a credential and of an address are not the default ones. */
export async function startServer(program: string, data: SoakData): Promise<SoakServer> {
  const environment = {
    ...data.environment,
    PORT: '0',
    OPS_PORT: '0',
    RATE_LIMIT_REQUESTS: '1000000',
    RATE_LIMIT_FAILED_AUTHENTICATIONS: '1000000',
    RATE_LIMIT_PUBLIC_REQUESTS: '1000000',
  };
  // In a process group of its own, so that Ctrl-C ends the load first.
  const started = startNode([program, 'serve'], environment, { detached: true });
  const origin = await serving(started);
  const ops = await told(started, /metrics on (\S+)\n/);
  const state = async () => {
    const series = parseMetrics(await (await fetch(`${ops}/metrics`)).text());
    const valueOf = (wanted: string) => series.find(({ name }) => name === wanted)?.value ?? NaN;
    return {
      rssMiB: valueOf('process_resident_memory_bytes') / 2 ** 20,
      heapMiB: valueOf('nodejs_heap_size_used_bytes') / 2 ** 20,
      lagMilliseconds: valueOf('nodejs_eventloop_lag_max_seconds') * 1000,
      connections: valueOf('http_server_open_connections'),
    };
  };
  return { ...started, origin, state };
}
