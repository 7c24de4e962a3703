import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { createTestDatabase, noPostgres } from '../../test/support/postgres.ts';
import { dropIndexes } from './postgres-indexes.ts';
import { type Dialect, insertions, sampleOf } from './rows.ts';
import { addTenants, casesOfInsertion, type GrowingStore, organisations, ownedBy, type OwnedRow } from './store.ts';

const dialect: Dialect = {
  uuid: 'gen_random_uuid()::text',
  numbers: (name, count) => `(SELECT i FROM generate_series(0, ${count} - 1) AS i) ${name}`,
  time: (seconds) =>
    `to_char(to_timestamp(1772000000 + ${seconds}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
};

/** Creates an empty database on the tests' server. @throws {Error} if there is no server */
export async function createPostgresStore(): Promise<GrowingStore> {
  if (noPostgres !== undefined) throw new Error(`PostgreSQL is ${noPostgres}`);
  const database = await createTestDatabase();
  const { url } = database;
  const store = await openPostgresStore({ url, poolSize: 1 }, 'uk');
  const tenants = await addTenants(store);
  await store.close();
  let cases = 0;

  return {
    environment: { DATABASE_URL: url },
    tenants,
    add: async (count, filesOfEach, wanted, tell) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(`SET synchronous_commit = off; SET session_replication_role = replica`);
        const restored = count > cases ? await dropIndexes(client) : [];
        for (let left = count; left > 0; left -= casesOfInsertion) {
          const insertion = { cases: Math.min(left, casesOfInsertion), filesOfEach, first: cases, organisations };
          for (const statement of insertions(dialect, insertion)) await client.query(statement);
          // The trigger that would do this is disabled, as are those that renew the revision with each file.
          await client.query('INSERT INTO case_revision SELECT case_id, gen_random_uuid() FROM fresh');
          cases += insertion.cases;
          tell?.(count - left + insertion.cases);
        }
        for (const statement of restored) await client.query(statement);
        const { rows } = await client.query<OwnedRow>(sampleOf(wanted));
        return ownedBy(tenants, rows);
      } finally {
        await client.end();
      }
    },
    settle: async () => {
      await database.query('VACUUM ANALYZE');
    },
    bytes: async () =>
      Number((await database.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0]?.['bytes']),
    remove: () => database.drop(),
  };
}
