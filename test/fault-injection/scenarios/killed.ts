import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.ts';
import { stop } from '../../support/process.ts';
import { type Engine, postgresEngine, sqliteEngine } from '../engines.ts';
import { PostgresCluster } from '../postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { type Server, type ServerOptions, Site } from '../site.ts';
import type { Traffic } from '../traffic.ts';
import { figuresOf, recoveredAfter, startTraffic, writers } from '../under-fault.ts';

const [earliest, latest] = [50, 500];
const workers = 2;
const longestSeconds = 30;

/** A fifth of the rounds, because each takes several processes. */
const roundsOfWorkers = ({ rounds }: ScenarioContext) => Math.ceil(rounds / 5);

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

export const killedPrimary: Scenario = {
  name: 'killed-primary',
  fault: 'the primary of two workers is killed with SIGKILL while 8 clients update',
  holds: 'its workers exit; no update is partial; the next server starts on the remaining data',
  run: async (context) => {
    const late: string[] = [];
    let endedSeconds = 0;
    const rounds = roundsOfWorkers(context);
    const { figures, problems } = await killAgainAndAgain(
      sqliteEngine(context.folder),
      { ...context, rounds },
      {
        args: ['--workers', String(workers)],
        kill: async ({ child }) => {
          const left = childrenOf(child.pid);
          child.kill('SIGKILL');
          const killed = performance.now();
          const ended = await until(() => !left.some(isRunning));
          if (ended === undefined) late.push(`a worker still runs ${longestSeconds} s after its primary was killed`);
          endedSeconds = Math.max(endedSeconds, ((ended ?? Infinity) - killed) / 1000);
        },
      },
    );
    const more = { ...figures.more, 'seconds until the workers had ended, the longest': endedSeconds };
    return { figures: { ...figures, more }, problems: [...late, ...problems] };
  },
};

export const killedWorker: Scenario = {
  name: 'killed-worker',
  fault: 'one of two workers is killed with SIGKILL while 8 clients update',
  holds:
    'only requests on its connections get no response; the other worker continues, and a new one replaces it; ' +
    'no update is partial',
  run: async (context) => {
    const { folder, random } = context;
    const site = await Site.create(sqliteEngine(folder));
    const faults = roundsOfWorkers(context);
    const args = ['--workers', String(workers), '--port', String(await freePort())];
    const server = await site.serve({ args, environment: { LOG_LEVEL: 'info' } });
    const traffics: Traffic[] = [];
    const problems: string[] = [];
    let [recoverySeconds, replacedSeconds] = [0, 0];
    for (let round = 1; round <= faults; round += 1) {
      context.progress(`${round} of ${faults}`);
      await site.seed();
      const traffic = startTraffic(site, server.url, random, { updateStatuses: [200] });
      await sleep(earliest + random() * (latest - earliest));
      const victim = childrenOf(server.child.pid)[Math.floor(random() * workers)] ?? 0;
      const killed = performance.now();
      process.kill(victim, 'SIGKILL');
      const recovered = await recoveredAfter(traffic, killed);
      const replaced = await until(() => server.stderr().split('a worker was replaced').length > round);
      await sleep(latest);
      await traffic.stop();
      traffics.push(traffic);
      if (recovered === undefined || replaced === undefined) problems.push('no worker replaced the killed one');
      if (traffic.withoutResponse > writers)
        problems.push(`${traffic.withoutResponse} requests got no response, with ${writers} clients`);
      recoverySeconds = Math.max(recoverySeconds, ((recovered ?? Infinity) - killed) / 1000);
      replacedSeconds = Math.max(replacedSeconds, ((replaced ?? Infinity) - killed) / 1000);
      problems.push(...traffic.problems, ...(await site.settle(traffic.updates)).problems);
    }
    await stop(server);
    const more = { 'seconds to a new worker, the longest': replacedSeconds };
    return { figures: { ...figuresOf(traffics), faults, recoverySeconds, more }, problems };
  },
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
  let [keptWithoutResponse, entries, cleared] = [0, 0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${round} of ${rounds}`);
    await site.seed();
    const began = performance.now();
    const server = await site.serve(options);
    const traffic = startTraffic(site, server.url, random, { updateStatuses });
    // On a loaded machine the first update takes longer than the times below.
    await recoveredAfter(traffic, began);
    begin?.();
    await sleep(earliest + random() * (latest - earliest));
    await kill(server);
    await traffic.stop();
    recoverySeconds = Math.max(recoverySeconds, ((traffic.firstUpdateAfter(began) ?? began) - began) / 1000);
    traffics.push(traffic);
    const settled = await site.settle(traffic.updates);
    problems.push(...[...settled.problems, ...traffic.problems].map((problem) => `round ${round}: ${problem}`));
    keptWithoutResponse += settled.withoutResponse;
    entries = settled.kept.entries.length;
    cleared = settled.kept.entries.reduce((sum, entry) => sum + entry.cleared, 0);
  }
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

/** The time at which a condition becomes true; undefined if that takes too long. */
async function until(holds: () => boolean): Promise<number | undefined> {
  const began = performance.now();
  while (performance.now() - began < longestSeconds * 1000) {
    if (holds()) return performance.now();
    await sleep(20);
  }
  return undefined;
}

/** What `ps` says; empty if there is no such process. */
function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

function childrenOf(pid = 0): number[] {
  return ps('-o', 'pid=', '--ppid', String(pid)).split(/\s+/).filter(Boolean).map(Number);
}

/** A process that has ended stays visible until its parent has read its exit status. */
function isRunning(pid: number): boolean {
  return /^[^Z]/.test(ps('-o', 'stat=', '-p', String(pid)));
}
