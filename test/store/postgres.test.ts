import { afterAll, beforeAll } from '@jest/globals';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { createTestDatabase, describePostgres, type TestDatabase } from '../support/postgres.js';
import { describeStore } from './conformance.js';

describePostgres('PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  describeStore('PostgreSQL', async () => openPostgresStore({ url: await database.freshUrl(), poolSize: 4 }, 'uk'));
});
