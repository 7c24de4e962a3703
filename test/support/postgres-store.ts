import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach } from '@jest/globals';
import pg from 'pg';
import type { Store } from '../../src/store/store.ts';
import type { TestDatabase } from './postgres.ts';

/** An empty store in PostgreSQL, and a connection beside it, as another program would have. */
export interface PostgresStore {
  readonly url: string;
  readonly store: Store;
  readonly beside: pg.Client;
}

/** Empties one before each test: to be read while a test runs. */
export function eachPostgresStore(database: Pick<TestDatabase, 'emptyUrl' | 'openStore'>): PostgresStore {
  const opened = {} as PostgresStore;
  beforeEach(async () => {
    const url = await database.emptyUrl();
    const beside = new pg.Client(url);
    Object.assign(opened, { url, beside, store: await database.openStore(url) });
    await beside.connect();
  });
  afterEach(() => opened.beside.end());
  return opened;
}

const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Whether the work comes to a point where at least so many transactions wait for a lock; false if it ends without. */
export async function isBlocked(
  database: Pick<TestDatabase, 'query'>,
  work: Promise<unknown>,
  transactions = 1,
): Promise<boolean> {
  let ended = false;
  const untilEnded = work
    .then(() => false)
    .finally(() => {
      ended = true;
    });
  const untilBlocked = async () => {
    while (!ended) {
      if (((await database.query(waiting)).rowCount ?? 0) >= transactions) return true;
      await sleep(20);
    }
    return false;
  };
  return Promise.race([untilBlocked(), untilEnded]);
}
