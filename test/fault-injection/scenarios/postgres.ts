import { setTimeout as sleep } from 'node:timers/promises';
import { postgresEngine } from '../engines.ts';
import { PostgresCluster } from '../postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { Site } from '../site.ts';
import { SmallDisk } from '../small-disk.ts';
import { type FaultUnderTraffic, underFault } from '../under-fault.ts';

const common = {
  holds:
    'updates and reads get 200 or 503, within 20 s; both work again without a restart; each confirmed update is kept, ' +
    'none twice or in part',
  missing: () => PostgresCluster.missing(),
};
const awayMilliseconds = 2000;
const cutMilliseconds = 5000;
const heldMilliseconds = 8000;
const fullMilliseconds = 4000;
const diskMegabytes = 96;

export const restarted: Scenario[] = (['fast', 'immediate'] as const).map((mode) => ({
  name: `postgres-restarted-${mode}`,
  fault: `PostgreSQL is stopped (pg_ctl -m ${mode}) and started 2 s later, three times`,
  ...common,
  run: onPostgres((cluster) => ({
    times: 3,
    inflict: async () => {
      await cluster.stop(mode);
      await sleep(awayMilliseconds);
      await cluster.start();
    },
  })),
}));

export const connectionsCut: Scenario = {
  name: 'postgres-connections-cut',
  fault: 'PostgreSQL ends all connections of the server every 50 ms for 5 s',
  ...common,
  run: onPostgres((cluster) => ({
    inflict: () =>
      cluster.beside(async (client) => {
        const end = performance.now() + cutMilliseconds;
        while (performance.now() < end) {
          await client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
          );
          await sleep(50);
        }
      }),
  })),
};

export const poolExhausted: Scenario = {
  name: 'postgres-pool-exhausted',
  fault: 'another program locks the row that all updates need for 8 s; the pool has 2 connections',
  ...common,
  run: onPostgres((cluster) => ({
    environment: { DATABASE_POOL_SIZE: '2' },
    inflict: () =>
      cluster.beside(async (client) => {
        await client.query('BEGIN');
        await client.query('SELECT FROM organisation FOR UPDATE');
        await sleep(heldMilliseconds);
        await client.query('COMMIT');
      }),
  })),
};

export const diskFull: Scenario = {
  name: 'postgres-disk-full',
  fault: "the file system of PostgreSQL's data is full for 4 s; its supervisor restarts PostgreSQL if that ends it",
  ...common,
  missing: () => PostgresCluster.missing() ?? SmallDisk.missing(),
  run: async (context) => {
    const disk = new SmallDisk(`${context.folder}/disk`, diskMegabytes);
    try {
      let startedAgain = 0;
      const fillWhile = onPostgres((cluster) => ({
        inflict: async () => {
          await disk.keepFull(fullMilliseconds);
          if (cluster.isRunning()) return;
          await cluster.start();
          startedAgain += 1;
        },
      }));
      const { figures, problems } = await fillWhile({ ...context, folder: disk.folder });
      return { figures: { ...figures, more: { 'PostgreSQL started again': startedAgain } }, problems };
    } finally {
      disk.unmount();
    }
  },
};

/** A scenario on a PostgreSQL server of its own. */
function onPostgres(faultOf: (cluster: PostgresCluster) => FaultUnderTraffic) {
  return (context: ScenarioContext): Promise<ScenarioResult> =>
    PostgresCluster.with(context.folder, async (cluster) =>
      underFault(await Site.create(postgresEngine(cluster.url)), context, faultOf(cluster)),
    );
}
