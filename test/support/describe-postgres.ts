import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { createTestDatabase, noPostgres, type TestDatabase } from './postgres.ts';

// Making and dropping a database waits for the disk, which other tests use too.
jest.setTimeout(60_000);

/** Describes what needs PostgreSQL; where there is none, the tests are skipped and their title says why. */
export function describePostgres(name: string, body: () => void): void {
  if (noPostgres === undefined) describe(name, body);
  else describe.skip(`${name} (${noPostgres})`, body);
}

/** The same, with a database that its tests share, and nobody else uses. */
export function describeDatabase(name: string, body: (database: Omit<TestDatabase, 'drop'>) => void): void {
  describePostgres(name, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterAll(() => database.drop());
    body({
      get url() {
        return database.url;
      },
      freshUrl: () => database.freshUrl(),
      serverUrl: (url, region) => database.serverUrl(url, region),
      query: (text, values) => database.query(text, values),
    });
  });
}
