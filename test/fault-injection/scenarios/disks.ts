import { setTimeout as sleep } from 'node:timers/promises';
import { databasePathIn, sqliteEngine } from '../engines.ts';
import { FaultyDisk } from '../faulty-disk/faulty-disk.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { type ServerOptions, Site } from '../site.ts';
import { SmallDisk } from '../small-disk.ts';
import { underFault } from '../under-fault.ts';
import { killAgainAndAgain, killedHolds } from './killed.ts';

const faultyMilliseconds = 300;
const fullMilliseconds = 4000;
const diskMegabytes = 16;
const holds =
  'updates get 200 or 503, reads get 200; updates work again without a restart; no confirmed update is lost, none is partial';

export const diskFull: Scenario = {
  name: 'disk-full',
  fault: 'the file system of the data directory (16 MB) is full for 4 s, three times',
  holds,
  missing: () => SmallDisk.missing(),
  run: async (context) => {
    const disk = new SmallDisk(`${context.folder}/disk`, diskMegabytes);
    try {
      const site = await Site.create(sqliteEngine(disk.folder));
      const inflict = () => disk.keepFull(fullMilliseconds);
      return await underFault(site, context, { readStatuses: [200], times: 3, inflict });
    } finally {
      disk.unmount();
    }
  },
};

export const diskFaulty: Scenario = {
  name: 'disk-faulty',
  fault:
    'writes (1 in 40), syncs and truncations (1 in 4) of the database repeatedly fail for 300 ms; a failed sync ' +
    'loses any part of the unsynced writes',
  holds,
  missing: () => FaultyDisk.missing(),
  run: (context) =>
    withFaultyDisk(context, async (disk) =>
      underFault(await Site.create(sqliteEngine(context.folder)), context, {
        ...serverOn(disk),
        readStatuses: [200],
        times: context.rounds,
        inflict: async () => {
          disk.become('faulty');
          await sleep(faultyMilliseconds);
          disk.become('sound');
        },
      }),
    ),
};

export const powerCut: Scenario = {
  name: 'power-cut',
  fault:
    'SQLite: the disk loses power 50 to 500 ms after 8 clients have begun to update, and in about half of the rounds ' +
    'fails before as in `disk-faulty`; the server is killed, and any part of the unsynced writes is lost',
  holds: killedHolds,
  missing: () => FaultyDisk.missing(),
  run: (context) =>
    withFaultyDisk(context, (disk) =>
      killAgainAndAgain(sqliteEngine(context.folder), context, {
        ...serverOn(disk),
        updateStatuses: [200, 503],
        begin: () => {
          if (context.random() < 0.5) disk.become('faulty');
        },
        kill: async ({ ended }) => {
          disk.become('power-cut');
          await ended;
          disk.become('sound');
        },
      }),
    ),
};

const serverOn = ({ environment }: FaultyDisk): ServerOptions => ({
  environment,
  preload: ['./test/fault-injection/faulty-disk/frequent-checkpoints.ts'],
});

async function withFaultyDisk(
  { folder, random }: ScenarioContext,
  work: (disk: FaultyDisk) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  const disk = new FaultyDisk(folder, databasePathIn(folder), Math.floor(random() * 2 ** 31));
  try {
    const { figures, problems } = await work(disk);
    return { figures: { ...figures, more: disk.counts() }, problems };
  } finally {
    disk.close();
  }
}
