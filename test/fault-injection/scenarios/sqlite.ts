import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNode, told } from '../../support/process.ts';
import { databasePathIn, sqliteEngine } from '../engines.ts';
import type { Scenario } from '../scenario.ts';
import { Site } from '../site.ts';
import { SmallDisk } from '../small-disk.ts';
import { underFault } from '../under-fault.ts';

const diskMegabytes = 16;
const fullMilliseconds = 4000;
const lockedMilliseconds = 8000;

export const diskFull: Scenario = {
  name: 'disk-full',
  fault: 'the file system of the data directory (16 MB) is full for 4 s, three times',
  holds: 'updates get 200 or 503, reads get 200; updates work again without a restart; no update is partial',
  missing: () => SmallDisk.missing(),
  run: async (context) => {
    const disk = new SmallDisk(`${context.folder}/disk`, diskMegabytes);
    try {
      const site = await Site.create(sqliteEngine(disk.folder));
      return await underFault(site, context, {
        readStatuses: [200],
        times: 3,
        inflict: () => disk.keepFull(fullMilliseconds),
      });
    } finally {
      disk.unmount();
    }
  },
};

export const databaseLocked: Scenario = {
  name: 'database-locked',
  fault: 'another process holds the database file locked (BEGIN EXCLUSIVE) for 8 s',
  holds:
    'updates get 200 or 503, within 20 s, reads get 200; updates work again without a restart; no update is partial',
  run: async (context) => {
    const site = await Site.create(sqliteEngine(context.folder));
    return underFault(site, context, {
      readStatuses: [200],
      inflict: async () => {
        const holder = startNode(['--input-type=module', '--eval', lockScript], {
          DATABASE: databasePathIn(context.folder),
        });
        await told(holder, /(locked)\n/);
        await sleep(lockedMilliseconds);
        holder.child.kill('SIGKILL');
        await once(holder.child, 'close');
      },
    });
  },
};

const lockScript = `
  import Sqlite from 'better-sqlite3';
  const database = new Sqlite(process.env.DATABASE, { timeout: 30_000 });
  database.exec('BEGIN EXCLUSIVE');
  console.log('locked');
  setInterval(() => database.inTransaction, 1000);`;
