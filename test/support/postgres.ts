import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Region } from '../../src/domain/region.ts';
import { afterwards } from './afterwards.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { overrideStore } from './override-store.ts';

const given = process.env['TEST_DATABASE_URL'];
const adminUrl = given ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** Why tests cannot use PostgreSQL; undefined if they can. One that was named must be there. */
export const noPostgres = await withAdmin((admin) => admin.query('SELECT')).then(
  () => undefined,
  (error: unknown) => {
    if (given !== undefined) throw error;
    return 'no PostgreSQL responds on 127.0.0.1:5432; name one with TEST_DATABASE_URL';
  },
);

if (noPostgres !== undefined) process.stderr.write(`PostgreSQL tests are skipped: ${noPostgres}\n`);

/** Makes a database that the tests of one file have for themselves, with the roles whose names begin like its own. */
export async function createTestDatabase() {
  const name = `document_analysis_test_${randomUUID().replaceAll('-', '')}`;
  await withAdmin((admin) => admin.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`));
  const url = new URL(adminUrl);
  url.pathname = name;
  const pool = new pg.Pool({ connectionString: url.href, max: 3 });
  pool.on('error', () => undefined);
  const serverRole = `${name}_server`;
  const createRole = () => {
    const password = pg.escapeLiteral(decodeURIComponent(url.password));
    return withAdmin((admin) => admin.query(`CREATE ROLE ${serverRole} LOGIN PASSWORD ${password}`));
  };
  let created: Promise<void> | undefined;
  const prepared = new Set<string>();
  const stores = new Map<string, Store>();
  let emptied: { schema: string; shape: unknown; empty: string } | undefined;
  const createSchema = async () => {
    const schema = `s${randomUUID().replaceAll('-', '')}`;
    await pool.query(`CREATE SCHEMA ${schema}`);
    return schema;
  };
  const urlOf = (schema: string) => {
    const own = new URL(url);
    own.searchParams.set('options', `-c search_path=${schema}`);
    return own.href;
  };
  return {
    url: url.href,
    /** The URL of a new, empty schema of it: as good as a database, and made faster. */
    freshUrl: async () => urlOf(await createSchema()),
    /**
     * The URL of a schema that is migrated and holds nothing: one for the tests of a file that run one after the other, emptied
     * each time in place of being made anew, which takes ten times as long.
     */
    emptyUrl: async () => {
      // A test may have changed more than rows.
      if (emptied && (await shapeOf(pool, emptied.schema)) === emptied.shape) await pool.query(emptied.empty);
      else {
        const schema = await createSchema();
        await prepareDatabase(urlOf(schema), 'uk');
        emptied = {
          schema,
          shape: await shapeOf(pool, schema),
          empty: await emptying(pool, schema, await createSchema()),
        };
      }
      return urlOf(emptied.schema);
    },
    /** Migrates this database or a schema of it, and gives the URL with which a server uses it: of a role that owns nothing. */
    serverUrl: async (owned: string, region: Region = 'uk') => {
      await (created ??= createRole());
      if (!prepared.has(owned)) await prepareDatabase(owned, region, { serverRole });
      prepared.add(owned);
      const own = new URL(owned);
      own.username = serverRole;
      return own.href;
    },
    /** A store on such a URL, which stays open for the tests that follow: opening one takes longer than most of them. */
    openStore: async (url: string): Promise<Store> => {
      const store = stores.get(url) ?? (await openPostgresStore({ url, poolSize: 4 }, 'uk'));
      stores.set(url, store);
      return overrideStore(store, { close: () => Promise.resolve() });
    },
    /** Runs a statement beside the program, as another program would. */
    query: (text: string, values?: unknown[]) => pool.query<Record<string, unknown>>(text, values),
    drop: afterwards(async () => {
      await Promise.all([...stores.values()].map((store) => store.close()));
      await pool.end();
      await withAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
      await withAdmin(async (admin) => {
        const { rows } = await admin.query<{ role: string }>(
          `SELECT rolname AS role FROM pg_roles WHERE rolname ^@ '${name}'`,
        );
        for (const { role } of rows) await admin.query(`DROP ROLE ${role}`);
      });
    }),
  };
}

/** What a schema has of columns, functions and triggers. */
async function shapeOf(pool: pg.Pool, schema: string): Promise<unknown> {
  const { rows } = await pool.query<{ shape: string }>(`
    WITH own AS (SELECT oid FROM pg_class WHERE relnamespace = '${schema}'::regnamespace)
    SELECT concat_ws(' ', (SELECT count(*) FROM pg_attribute WHERE attrelid IN (TABLE own)),
      (SELECT count(*) FROM pg_trigger WHERE tgrelid IN (TABLE own)),
      (SELECT count(*) FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace)) AS shape`);
  return rows[0]?.shape;
}

/** Keeps what the tables of a schema hold in another one, and gives the statements that make them hold that again. */
async function emptying(pool: pg.Pool, schema: string, kept: string): Promise<string> {
  const { rows } = await pool.query<{ name: string; sequence: boolean }>(`
    SELECT relname AS name, relkind = 'S' AS sequence FROM pg_class
    WHERE relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'S')`);
  const [tables, sequences] = [rows.filter((row) => !row.sequence), rows.filter((row) => row.sequence)];
  for (const { name } of tables) await pool.query(`CREATE TABLE ${kept}.${name} AS TABLE ${schema}.${name}`);
  return [
    // Without foreign keys, whose order would matter.
    'BEGIN; SET LOCAL session_replication_role = replica',
    ...tables.map(({ name }) => `DELETE FROM ${schema}.${name}`),
    ...tables.map(({ name }) => `INSERT INTO ${schema}.${name} OVERRIDING SYSTEM VALUE TABLE ${kept}.${name}`),
    ...sequences.map(({ name }) => `SELECT setval('${schema}.${name}', 1, false)`),
    'COMMIT',
  ].join(';');
}

async function withAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  // Where none is, the connection is refused at once; one on a loaded machine may take long.
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 60_000 });
  try {
    await admin.connect();
    await work(admin);
  } finally {
    await admin.end();
  }
}
