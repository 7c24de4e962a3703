import { afterAll, beforeAll, describe } from '@jest/globals';
import { createTestDatabase, noPostgres, type TestDatabase } from './postgres.ts';

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
      emptyUrl: () => database.emptyUrl(),
      serverUrl: (url, region) => database.serverUrl(url, region),
      query: (text, values) => database.query(text, values),
    });
  });
}
