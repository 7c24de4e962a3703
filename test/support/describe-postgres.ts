import { beforeAll, describe } from '@jest/globals';
import { createTestDatabase, noPostgres, type TestDatabase } from './postgres.ts';

/** Describes what needs something; where it is missing, the tests are skipped and their title says why. */
export function describeUnless(missing: string | undefined) {
  return (name: string, body: () => void): void => {
    if (missing === undefined) describe(name, body);
    else describe.skip(`${name} (skipped: ${missing})`, body);
  };
}

export const describePostgres = describeUnless(noPostgres);

/** The same, with a database that its tests share, and nobody else uses. */
export function describeDatabase(name: string, body: (database: Omit<TestDatabase, 'drop'>) => void): void {
  describePostgres(name, () => {
    const database = {} as TestDatabase;
    beforeAll(async () => {
      Object.assign(database, await createTestDatabase());
    });
    body(database);
  });
}
