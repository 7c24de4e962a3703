import { setTimeout as sleep } from 'node:timers/promises';
import { postgresEngine } from '../engines.ts';
import { PostgresCluster } from '../postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { Site } from '../site.ts';
import { SmallDisk } from '../small-disk.ts';
import { type FaultUnderTraffic, underFault } from '../under-fault.ts';

const holds =
  'updates and reads get 200 or 503, within 20 s; both work again without a restart; each confirmed update is kept, ' +
  'none twice or in part';
const awayMilliseconds = 2000;
const fullMilliseconds = 4000;
const diskMegabytes = 96;

export const restarted: Scenario[] = (['fast', 'immediate'] as const).map((mode) => ({
  name: `postgres-restarted-${mode}`,
  fault: `PostgreSQL is stopped (pg_ctl -m ${mode}) and started 2 s later, three times`,
  holds,
  missing: () => PostgresCluster.missing(),
  run: onPostgres((cluster) => ({
    times: 3,
    inflict: async () => {
      await cluster.stop(mode);
      await sleep(awayMilliseconds);
      await cluster.start();
    },
  })),
}));

export const postgresDiskFull: Scenario = {
  name: 'postgres-disk-full',
  fault: "the file system of PostgreSQL's data is full for 4 s; its supervisor restarts PostgreSQL if that ends it",
  holds,
  missing: () => PostgresCluster.missing() ?? SmallDisk.missing(),
  run: async (context) => {
    const disk = new SmallDisk(`${context.folder}/disk`, diskMegabytes);
    const fillWhile = onPostgres((cluster) => ({
      inflict: async () => {
        await disk.keepFull(fullMilliseconds);
        if (!cluster.isRunning()) await cluster.start();
      },
    }));
    try {
      return await fillWhile({ ...context, folder: disk.folder });
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
