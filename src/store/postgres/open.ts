/**
 * The store for several servers: one PostgreSQL database, which serves one region. Its connections are pooled and its
 * statements prepared. A wait has a bound everywhere, so that a database in trouble is answered 503, not with silence.
 */
import { tmpdir } from 'node:os';
import type { Region } from '../../domain/region.js';
import { CaseTexts } from '../case-texts.js';
import { StoreUnavailableError } from '../errors.js';
import type { PostgresLocation } from '../settings.js';
import type { Store } from '../store.js';
import { analysisStore } from './analyses.js';
import { auditStore } from './audit.js';
import { postgresCaseSource } from './case-source.js';
import { caseStore } from './cases.js';
import { companyRegisterStore } from './company-register.js';
import { Connection } from './connection.js';
import { credentialStore } from './credentials.js';
import { connect, openError } from './database-url.js';
import { migrate, schemaVersion } from './migrate.js';
import { organisationStore } from './organisations.js';
import { openPool } from './pool.js';
import { readAnalysisStore } from './read-analyses.js';
import { type OnReplica, openReplica } from './replica.js';
import { roleStore } from './roles.js';
import { prepared } from './statement.js';
import { verificationSettingStore } from './verification-setting.js';

const selectVersion = prepared('SELECT schema_version FROM store');

/**
 * Opens a database and brings its schema up to date. Large cases are written into a folder, and sent from there.
 * @throws {StoreOpenError} if that cannot be done, or if the database belongs to another region
 */
export async function openPostgresStore(
  { url, readUrl, poolSize }: PostgresLocation,
  region: Region,
  onReplica: OnReplica = () => undefined,
  folder = tmpdir(),
): Promise<Store> {
  const name = await prepareDatabase(url, region);
  const pool = openPool(url, poolSize);
  const connection = new Connection(pool, name);
  const cases = caseStore(connection);
  const caseSource = postgresCaseSource(connection);
  let replica;
  try {
    replica = readUrl === undefined ? undefined : await openReplica(readUrl, region, poolSize, onReplica);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const texts = new CaseTexts(replica ? replica.caseSource(caseSource) : caseSource, folder);
  return {
    name: `the database ${name}`,
    ...organisationStore(connection),
    ...roleStore(connection),
    ...credentialStore(connection),
    ...verificationSettingStore(connection),
    ...cases,
    ...(replica && { findCase: replica.findCase(cases.findCase) }),
    findCaseText: (organisationId, caseId) => texts.find(organisationId, caseId),
    ...auditStore(connection),
    ...companyRegisterStore(connection),
    ...analysisStore(connection),
    ...readAnalysisStore(connection),
    check: async () => {
      const { rows } = await connection.query<{ schema_version: number }>(selectVersion);
      const version = rows[0]?.schema_version ?? 0;
      if (version < schemaVersion)
        throw new StoreUnavailableError(`The database ${name} has schema version ${version}, not ${schemaVersion}`);
    },
    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      texts.close();
      await Promise.all([pool.end(), replica?.close()]);
    },
  };
}

/** Migrates a database, and gives its name. */
async function prepareDatabase(url: string, region: Region): Promise<string> {
  const { client, name } = await connect(url, 'DATABASE_URL');
  try {
    await migrate(client, name, region);
    return name;
  } catch (error) {
    throw openError(name, 'DATABASE_URL', error);
  } finally {
    await client.end();
  }
}
