/**
 * The load generator, a separate process. In each slice it loads one server: it opens connections, sends requests on
 * each, one after the other, and closes them after the last responses.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BenchData } from './data.ts';
import { type KeptConnection, openConnection, requestBytes } from './connection.ts';
import { compiledFile, pinned } from './machine.ts';
import { usualConnections, workloadNamed } from './workloads.ts';

export interface LoadOrder {
  /** Assigned to the connections in rotation. */
  readonly ports: readonly number[];
  readonly workload: string;
  readonly milliseconds: number;
}

export interface LoadFigures {
  readonly requests: number;
  /** From the first request to the last response. */
  readonly seconds: number;
  /** The share of its core that the load generator used: near 1, it limits the server. */
  readonly busy: number;
}

/** Sends orders to the process. */
export type LoadGenerator = ReturnType<typeof startLoad>;

/** Starts the process on a core. */
export function startLoad(data: BenchData, core: number | undefined) {
  const [command = '', ...args] = pinned(core, [process.execPath, compiledFile('load.ts')]);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  const ended = once(child, 'close').then(() => [{ fault: 'the load generator has ended' }]);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.send({ data });
  return {
    /** @throws {Error} if a response is wrong or missing, or the process has ended */
    run: async (order: LoadOrder): Promise<LoadFigures> => {
      child.send({ order });
      const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadFigures | { fault: string }];
      if ('fault' in result) throw new Error(result.fault);
      return result;
    },
    stop: async () => {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

/** The requests of each connection, with where it is in them: the next slice goes on there. */
interface Sequence {
  readonly requests: readonly { readonly name: string; readonly bytes: Buffer; readonly status: number }[];
  next: number;
}

const sequences = new Map<string, Sequence[]>();

function sequencesOf(order: LoadOrder, data: BenchData): Sequence[] {
  const key = `${order.ports.join()} ${order.workload}`;
  const { requestsOf, connections = usualConnections } = workloadNamed(order.workload);
  const known =
    sequences.get(key) ??
    Array.from({ length: connections }, (_none, connection): Sequence => ({
      requests: requestsOf(connection, data).map(({ method, path, headers, body, status }) => {
        return { name: `${method} ${path}`, bytes: requestBytes(method, path, headers, body), status };
      }),
      next: 0,
    }));
  sequences.set(key, known);
  return known;
}

async function load(order: LoadOrder, data: BenchData): Promise<LoadFigures> {
  const each = sequencesOf(order, data);
  const connections: KeptConnection[] = [];
  while (connections.length < each.length)
    connections.push(await openConnection(order.ports[connections.length % order.ports.length] as number));
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const endsAt = startedAt + order.milliseconds;
  const work = async (connection: KeptConnection, sequence: Sequence) => {
    let done = 0;
    do {
      const request = sequence.requests[sequence.next % sequence.requests.length];
      sequence.next += 1;
      if (!request) throw new Error(`${order.workload} has no request`);
      const status = await connection.exchange(request.bytes);
      if (status !== request.status) throw new Error(`${request.name} got ${status}, not ${request.status}`);
      done += 1;
    } while (performance.now() < endsAt);
    return done;
  };
  const counts = await Promise.all(connections.map((connection, index) => work(connection, each[index] as Sequence)));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  return { requests: counts.reduce((sum, count) => sum + count, 0), seconds, busy: (user + system) / 1e6 / seconds };
}

if (process.send !== undefined && import.meta.filename === process.argv[1]) {
  let known: BenchData | undefined;
  process.on('message', (message: { data: BenchData } | { order: LoadOrder }) => {
    if ('data' in message) known = message.data;
    else
      load(message.order, known as BenchData).then(
        (figures) => process.send?.(figures),
        (error: unknown) => process.send?.({ fault: error instanceof Error ? error.message : String(error) }),
      );
  });
  process.once('disconnect', () => process.exit());
}
