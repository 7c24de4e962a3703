/**
 * Several processes on one machine that accept connections from one port. The primary process serves no request; it keeps
 * the workers alive, counts for their rate limits, has the operations port, and analyses files. It does not hand out
 * connections either, as Node.js does unless told otherwise: one that is on its way to a worker that dies would never be
 * responded to nor closed. The workers share one listening socket. With a socket for each (`reusePort`), a rolling restart
 * would lose requests: Linux resets the connections that wait on a socket when it is closed.
 */
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { startOpsServer } from '../operations-port/ops-server.ts';
import { filesCheck, Readiness } from '../operations-port/readiness.ts';
import { countForWorkers } from '../../rate-limits/workers.ts';
import type { Service, ServiceDependencies } from '../service.ts';
import { WorkerPool } from './worker-pool.ts';

/** How long a worker may take to its end: longer than the requests in flight and the last traces. */
export const workerKillMilliseconds = 18_000;

/**
 * Starts the workers, and resolves when all of them serve. SIGHUP restarts them one after the other, once they serve.
 * @throws {WorkerStartError} if a worker cannot serve; {ListenError} if the operations port cannot be listened on
 */
export async function startWorkers(
  config: Config,
  { store, logger, now, analysis }: Pick<ServiceDependencies, 'store' | 'logger' | 'now' | 'analysis'>,
): Promise<Service> {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  countForWorkers();
  const pool = new WorkerPool(config.workers, workerKillMilliseconds, logger);
  const readiness = new Readiness(store, logger);
  const degraded = filesCheck(config.files.folder, logger);
  const notReady = async () => [...(await readiness.notReady()), ...(pool.serving === 0 ? ['workers'] : [])];

  const starting = start();
  const restart = (): void =>
    void starting.then(
      () => pool.restart(),
      () => undefined,
    );
  process.on('SIGHUP', restart);
  const { port, ops } = await starting.catch((error: unknown) => {
    process.off('SIGHUP', restart);
    throw error;
  });
  return {
    port,
    opsPort: ops?.port,
    notReady,
    close: async () => {
      process.off('SIGHUP', restart);
      readiness.drain();
      if (config.drainDelaySeconds > 0) await sleep(config.drainDelaySeconds * 1000);
      await pool.close();
      await ops?.close();
    },
  };

  async function start() {
    const metrics = config.ops && (await import('../metrics/cluster.ts')).clusterMetrics({ store, now }, analysis);
    const port = await pool.start();
    try {
      const ops = config.ops && metrics && (await startOpsServer(config.ops, { notReady, degraded, metrics }, logger));
      return { port, ops };
    } catch (error) {
      await pool.close();
      throw error;
    }
  }
}
