import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, postgresEngine, sqliteEngine } from '../engines.ts';
import { PostgresCluster } from '../postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { type Server, type ServerOptions, Site } from '../site.ts';
import { Traffic } from '../traffic.ts';
import { figuresOf, recoveredAfter, writers } from '../under-fault.ts';

const [earliest, latest] = [50, 500];

const fault = 'the server is killed with SIGKILL 50 to 500 ms after 8 clients have begun to update';
export const killedHolds =
  'each confirmed update is in the audit log, once; each entry starts from the value of the one before it; setting, ' +
  'cached results and log agree; the next server starts on the remaining data';

export const killedOnSqlite: Scenario = {
  name: 'killed-sqlite',
  fault: `SQLite: ${fault}`,
  holds: killedHolds,
  run: (context) => killAgainAndAgain(sqliteEngine(context.folder), context),
};

export const killedOnPostgres: Scenario = {
  name: 'killed-postgres',
  fault: `PostgreSQL: ${fault}`,
  holds: killedHolds,
  missing: () => PostgresCluster.missing(),
  run: (context) => PostgresCluster.with(context.folder, ({ url }) => killAgainAndAgain(postgresEngine(url), context)),
};

/** Options of killing a server. */
export interface Killing extends ServerOptions {
  /** The allowed statuses of updates; 200 by default. */
  readonly updateStatuses?: readonly number[];
  /** Called when clients have begun to update. */
  readonly begin?: () => void;
  /** Resolves when the server has ended. */
  readonly kill?: (server: Server) => Promise<unknown>;
}

/** In each round, starts a server, kills it while clients update, and checks the stored data. */
export async function killAgainAndAgain(
  engine: Engine,
  { rounds, random, progress }: ScenarioContext,
  { updateStatuses = [200], begin, kill = killNow, ...options }: Killing = {},
): Promise<ScenarioResult> {
  const site = await Site.create(engine);
  const traffics: Traffic[] = [];
  const problems: string[] = [];
  let recoverySeconds = 0;
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${round} of ${rounds}`);
    await site.seed();
    const began = performance.now();
    const server = await site.serve(options);
    const clients = { url: server.url, key: site.key, random, writers, readers: 0 };
    const traffic = new Traffic({ ...clients, updateStatuses, readStatuses: [] });
    // On a loaded machine the first update takes longer than the times below.
    await recoveredAfter(traffic, began);
    begin?.();
    await sleep(earliest + random() * (latest - earliest));
    await kill(server);
    await traffic.stop();
    recoverySeconds = Math.max(recoverySeconds, ((traffic.firstUpdateAfter(began) ?? began) - began) / 1000);
    traffics.push(traffic);
    const found = [...(await site.settle(traffic.updates)), ...traffic.problems];
    problems.push(...found.map((problem) => `round ${round}: ${problem}`));
  }
  return { figures: { ...figuresOf(traffics), faults: rounds, recoverySeconds }, problems };
}

async function killNow({ child, ended }: Server): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}
