/** Servers that are killed again and again while clients update. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, onEachEngine, sqliteEngine } from '../engines.ts';
import { faultyDiskMissing, withFaultyDisk } from '../faulty-disk/faulty-disk.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { createSite, type ServerOptions, type Site } from '../site.ts';
import { figuresOf, recoveredAfter, Traffic, writers } from '../traffic.ts';

const [earliest, latest] = [50, 500];

const holds =
  'each confirmed update is in the audit log, once; each entry starts from the value of the one before it; setting, ' +
  'cached results and log agree; the next server starts on the remaining data';

export const killed = onEachEngine(
  'killed',
  { fault: 'the server is killed with SIGKILL 50 to 500 ms after 8 clients have begun to update', holds },
  killAgainAndAgain,
);

export const powerCut: Scenario = {
  name: 'power-cut',
  fault:
    'SQLite: the disk loses power 50 to 500 ms after 8 clients have begun to update, and in about half of the rounds ' +
    'fails before as in `disk-faulty`; the server is killed, and any part of the unsynced writes is lost',
  holds,
  missing: faultyDiskMissing,
  run: (context) =>
    withFaultyDisk(context, ({ serverOptions, become }) =>
      killAgainAndAgain(sqliteEngine(context.folder), context, {
        ...serverOptions,
        updateStatuses: [200, 503],
        begin: () => {
          if (context.random() < 0.5) become('faulty');
        },
        kill: async ({ ended }) => {
          become('power-cut');
          await ended;
          become('sound');
        },
      }),
    ),
};

type Server = Awaited<ReturnType<Site['serve']>>;

interface Killing extends ServerOptions {
  /** The allowed statuses of updates; 200 by default. */
  readonly updateStatuses?: readonly number[];
  /** Called when clients have begun to update. */
  readonly begin?: () => void;
  /** Resolves when the server has ended. */
  readonly kill?: (server: Server) => Promise<unknown>;
}

/** In each round, starts a server, kills it while clients update, and checks the stored data. */
async function killAgainAndAgain(
  engine: Engine,
  { rounds, random, progress }: ScenarioContext,
  { updateStatuses = [200], begin, kill = killNow, ...options }: Killing = {},
): Promise<ScenarioResult> {
  const site = await createSite(engine);
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

function killNow({ child, ended }: Server): Promise<unknown> {
  child.kill('SIGKILL');
  return ended;
}
