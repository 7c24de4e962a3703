/** Faults that are injected while clients call a running server, which is not restarted. Updates get 200 or 503. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from '../../support/process.ts';
import { postgresEngine, sqliteEngine } from '../engines.ts';
import { faultyDiskMissing, withFaultyDisk } from '../faulty-disk/faulty-disk.ts';
import { type PostgresCluster, postgresMissing, startPostgresCluster } from '../postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { createSite, type ServerOptions, type Site } from '../site.ts';
import { SmallDisk } from '../small-disk.ts';
import { figuresOf, recoveredAfter, Traffic, writers } from '../traffic.ts';

const readers = 2;
const steadyMilliseconds = 1000;
const maxSeconds = 20;
const awayMilliseconds = 2000;
const faultyMilliseconds = 300;
const fullMilliseconds = 4000;

const onSqlite = {
  holds:
    'updates get 200 or 503, reads get 200; updates work again without a restart; no confirmed update is lost, none is partial',
};
const onPostgres = {
  holds:
    'updates and reads get 200 or 503, within 20 s; both work again without a restart; each confirmed update is kept, ' +
    'none twice or in part',
  missing: postgresMissing,
};

export const underFaults: readonly Scenario[] = [
  ...(['fast', 'immediate'] as const).map((mode) => ({
    ...onPostgres,
    name: `postgres-restarted-${mode}`,
    fault: `PostgreSQL is stopped (pg_ctl -m ${mode}) and started 2 s later, three times`,
    run: async (context: ScenarioContext) => {
      const cluster = await startPostgresCluster(context.folder);
      const inflict = async () => {
        await cluster.stop(mode);
        await sleep(awayMilliseconds);
        await cluster.start();
      };
      return underFault(await siteOn(cluster), context, { times: 3, inflict });
    },
  })),
  {
    ...onPostgres,
    name: 'postgres-disk-full',
    fault: "the file system of PostgreSQL's data is full for 4 s; its supervisor restarts PostgreSQL if that ends it",
    missing: () => postgresMissing() ?? SmallDisk.missing(),
    run: async (context) => {
      const disk = new SmallDisk(`${context.folder}/disk`, 96);
      const cluster = await startPostgresCluster(disk.folder);
      const inflict = async () => {
        await disk.keepFull(fullMilliseconds);
        if (!(await cluster.isRunning())) await cluster.start();
      };
      return underFault(await siteOn(cluster), context, { inflict });
    },
  },
  {
    ...onSqlite,
    name: 'disk-full',
    fault: 'the file system of the data directory (16 MB) is full for 4 s, three times',
    missing: () => SmallDisk.missing(),
    run: async (context) => {
      const disk = new SmallDisk(`${context.folder}/disk`, 16);
      const site = await createSite(sqliteEngine(disk.folder));
      const inflict = () => disk.keepFull(fullMilliseconds);
      return underFault(site, context, { readStatuses: [200], times: 3, inflict });
    },
  },
  {
    ...onSqlite,
    name: 'disk-faulty',
    fault:
      'writes (1 in 40), syncs and truncations (1 in 4) of the database repeatedly fail for 300 ms; a failed sync ' +
      'loses any part of the unsynced writes',
    missing: faultyDiskMissing,
    run: (context) =>
      withFaultyDisk(context, async ({ serverOptions, become }) => {
        const inflict = async () => {
          become('faulty');
          await sleep(faultyMilliseconds);
          become('sound');
        };
        const site = await createSite(sqliteEngine(context.folder));
        return underFault(site, context, { ...serverOptions, readStatuses: [200], times: context.rounds, inflict });
      }),
  },
];

const siteOn = ({ url }: PostgresCluster) => createSite(postgresEngine(url));

interface FaultUnderTraffic extends ServerOptions {
  /** The allowed statuses of reads; 200 and 503 by default. */
  readonly readStatuses?: readonly number[];
  readonly times?: number;
  /** Injects the fault, and ends it before it resolves. */
  readonly inflict: () => Promise<void>;
}

/** Injects a fault, waits until updates succeed again, and checks the responses, the stored data, and that SIGTERM ends the server well. */
async function underFault(
  site: Site,
  { random, progress }: ScenarioContext,
  { times = 1, inflict, readStatuses = [200, 503], ...options }: FaultUnderTraffic,
): Promise<ScenarioResult> {
  await site.seed();
  const server = await site.serve(options);
  const clients = { url: server.url, key: site.key, random, writers, readers };
  const traffic = new Traffic({ ...clients, updateStatuses: [200, 503], readStatuses });
  const problems: string[] = [];
  let recoverySeconds = 0;
  for (let time = 1; time <= times; time += 1) {
    progress(`${time} of ${times}`);
    await sleep(steadyMilliseconds);
    await inflict();
    const over = performance.now();
    const recovered = await recoveredAfter(traffic, over);
    if (recovered === undefined) problems.push('updates did not get 200 again');
    recoverySeconds = Math.max(recoverySeconds, ((recovered ?? Infinity) - over) / 1000);
  }
  await sleep(steadyMilliseconds);
  await traffic.stop();
  const contradictions = await site.settle(traffic.updates);
  await stop(server);
  const figures = { ...figuresOf([traffic]), faults: times, recoverySeconds };
  if (figures.longestResponseSeconds > maxSeconds) problems.push(`a response took longer than ${maxSeconds} s`);
  if (figures.withoutResponse > 0) problems.push(`${figures.withoutResponse} requests got no response`);
  if (figures.refused === 0) problems.push('no request was refused: the fault had no effect');
  return { figures, problems: [...problems, ...traffic.problems, ...contradictions] };
}
