import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

/** Hides a table that every operation needs from a running server. @returns a function that restores it */
export function breakStore(databasePath: string): () => Promise<void> {
  const database = new Sqlite(databasePath);
  database.exec('ALTER TABLE credential RENAME TO credential_taken_away');
  return () => {
    database.exec('ALTER TABLE credential_taken_away RENAME TO credential');
    database.close();
    return Promise.resolve();
  };
}

/** A server checks every 100 ms whether its database file still exists. */
const noticedMilliseconds = 150;

/** Hides the database file from a running server. @returns a function that restores it */
export async function disconnectStore(databasePath: string): Promise<() => Promise<void>> {
  const aside = `${databasePath}.aside`;
  await rename(databasePath, aside);
  await setTimeout(noticedMilliseconds);
  return () => rename(aside, databasePath);
}
