import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from '../../support/process.ts';
import { type Engine, postgresEngine, sqliteEngine } from '../engines.ts';
import { PostgresCluster } from '../postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { type Server, type ServerOptions, Site } from '../site.ts';
import type { Traffic } from '../traffic.ts';
import { figuresOf, recoveredAfter, startTraffic } from '../under-fault.ts';

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

export const killedBeside: Scenario = {
  name: 'killed-beside',
  fault: `SQLite: ${fault}, and 8 others on another server with the same file`,
  holds: `each request to the other server gets its response, whose updates get 200; ${killedHolds}`,
  run: (context) => killAgainAndAgain(sqliteEngine(context.folder), context, { isBesideAnother: true }),
};

/** Options of killing a server. */
export interface Killing extends ServerOptions {
  /** The allowed statuses of updates; 200 by default. */
  readonly updateStatuses?: readonly number[];
  /** Called when clients have begun to update. */
  readonly begin?: () => void;
  /** Whether another server has the same data, and clients, all the time. */
  readonly isBesideAnother?: boolean;
  /** Resolves when the server has ended. */
  readonly kill?: (server: Server) => Promise<unknown>;
}

/** In each round, starts a server, kills it while clients update, and checks the stored data. */
export async function killAgainAndAgain(
  engine: Engine,
  { rounds, random, progress }: ScenarioContext,
  { updateStatuses = [200], begin, kill = killNow, isBesideAnother = false, ...options }: Killing = {},
): Promise<ScenarioResult> {
  const site = await Site.create(engine);
  const traffics: Traffic[] = [];
  const problems: string[] = [];
  const other = isBesideAnother ? await site.serve(options) : undefined;
  let recoverySeconds = 0;
  let [keptWithoutResponse, entries, cleared] = [0, 0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${round} of ${rounds}`);
    await site.seed();
    const began = performance.now();
    const server = await site.serve(options);
    const traffic = startTraffic(site, server.url, random, { updateStatuses });
    const besides = other && startTraffic(site, other.url, random, { updateStatuses: [200] });
    // On a loaded machine the first update takes longer than the times below.
    await recoveredAfter(traffic, began);
    begin?.();
    await sleep(earliest + random() * (latest - earliest));
    await kill(server);
    if (besides && (await recoveredAfter(besides, performance.now())) === undefined)
      problems.push(`round ${round}: the other server serves no more`);
    await Promise.all([traffic.stop(), besides?.stop()]);
    recoverySeconds = Math.max(recoverySeconds, ((traffic.firstUpdateAfter(began) ?? began) - began) / 1000);
    const all = besides ? [traffic, besides] : [traffic];
    traffics.push(...all);
    const settled = await site.settle(all.flatMap(({ updates }) => updates));
    const found = [...settled.problems, ...all.flatMap((each) => each.problems)];
    if (besides?.withoutResponse) found.push(`${besides.withoutResponse} requests to the other server got no response`);
    problems.push(...found.map((problem) => `round ${round}: ${problem}`));
    keptWithoutResponse += settled.withoutResponse;
    entries = settled.kept.entries.length;
    cleared = settled.kept.entries.reduce((sum, entry) => sum + entry.cleared, 0);
  }
  if (other) await stop(other);
  const more = {
    'entries of the audit log': entries,
    'saved without a response': keptWithoutResponse,
    'results cleared': cleared,
  };
  return { figures: { ...figuresOf(traffics), faults: rounds, recoverySeconds, more }, problems };
}

async function killNow({ child, ended }: Server): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}
