import Sqlite from 'better-sqlite3';

/** Takes a table that every operation needs away from a running server. @returns what puts it back */
export function breakStore(databasePath: string): () => Promise<void> {
  const database = new Sqlite(databasePath);
  database.exec('ALTER TABLE credential RENAME TO credential_taken_away');
  return () => {
    database.exec('ALTER TABLE credential_taken_away RENAME TO credential');
    database.close();
    return Promise.resolve();
  };
}
