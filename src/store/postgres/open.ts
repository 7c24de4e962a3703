/**
 * The store for several servers: one PostgreSQL database, which serves one region. Its connections are pooled and its
 * statements are prepared. Every wait has a timeout, so that requests get a 503 and do not hang if the database fails.
 */
import { tmpdir } from 'node:os';
import type { Region } from '../../domain/region.ts';
import { CaseTexts } from '../case-texts/case-texts.ts';
import { StoreUnavailableError } from '../errors.ts';
import { currentVersion } from '../schema/migrations.ts';
import type { PostgresLocation } from '../settings.ts';
import { type Authorisation, type Store, withParts } from '../store.ts';
import { Connection, openPool } from './connection.ts';
import { checkPooledDatabase, prepareDatabase } from './prepare.ts';
import { postgresCaseSource, requestStore, settingUpdates } from './requests.ts';
import { selectUnmet, type Unmet } from './session-settings.ts';

const selectVersion = 'SELECT schema_version FROM store';

/** Migrates the schema if the user owns its tables. Large cases are written to the folder. @throws {StoreOpenError} */
export async function openPostgresStore(
  { url, poolSize, pooled }: PostgresLocation,
  region: Region,
  folder = tmpdir(),
): Promise<Store> {
  const { name, warning } = await (pooled ? checkPooledDatabase : prepareDatabase)(url, region);
  const database = openPool(url, poolSize, pooled);
  const { pool } = database;
  const connection = new Connection(database);
  const texts = new CaseTexts(postgresCaseSource(connection), folder);
  const update = settingUpdates(connection);
  const { findCase, findCaseText } = texts;
  const on = <Own extends object>(access: Connection, own: Own) =>
    withParts(access.access, { ...own, ...requestStore(access, update), findCase, findCaseText });
  return on(connection, {
    name: `the database ${name}`,
    warning,
    authorisedBy: (authorisation: Authorisation) => on(new Connection(database, authorisation), {}),
    check: async () => {
      // A pooler may keep sessions older than the role's settings, and these may change after the start.
      const [settings] = pooled ? (await connection.query<Unmet & object>(selectUnmet)).rows : [];
      if (settings && settings.unmet !== null)
        throw new StoreUnavailableError(`The database ${name} cannot be used through its pooler: ${settings.unmet}`);
      const { rows } = await connection.query<{ schema_version: number }>(selectVersion, []);
      const version = rows[0]?.schema_version ?? 0;
      if (version < currentVersion())
        throw new StoreUnavailableError(`The database ${name} has schema version ${version}, not ${currentVersion()}`);
    },
    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      texts.close();
      await pool.end();
    },
  });
}
