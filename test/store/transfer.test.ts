import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { StoreOpenError, StoreUnavailableError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresTransferable } from '../../src/store/postgres/transfer.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { sqliteTransferable } from '../../src/store/sqlite/transfer.ts';
import type { Store } from '../../src/store/store.ts';
import {
  CopyError,
  copyStore,
  countOf,
  countRows,
  isSame,
  rowsOfPart,
  type Transferable,
} from '../../src/store/transfer.ts';
import { describePostgres } from '../support/describe-postgres.ts';
import { createTestDatabase, noPostgres, type TestDatabase } from '../support/postgres.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { addCase, buildCase } from '../support/tenants.ts';
import { analyse, at, failure, newFile, resultOf, saveResult, settingFixture, take } from './conformance/fixtures.ts';
import { runBeside } from './run-beside.ts';

/** A place for a store, opened as a service opens it and as a copy does. */
interface Place {
  open: () => Store | Promise<Store>;
  copied: Transferable;
}

let folder: TemporaryFolder;
let database: TestDatabase | undefined;
beforeAll(async () => {
  folder = await TemporaryFolder.make();
  if (noPostgres === undefined) database = await createTestDatabase();
});

const sqlitePath = () => join(folder.path, `${randomUUID()}.sqlite`);
const sqlite = (path = sqlitePath()): Promise<Place> =>
  Promise.resolve({ open: () => openSqliteStore(path), copied: sqliteTransferable(path) });
const postgresUrl = () => (database as TestDatabase).freshUrl();
const postgres = async (given?: string): Promise<Place> => {
  const url = given ?? (await postgresUrl());
  return {
    open: () => openPostgresStore({ url, poolSize: 2 }, 'uk'),
    copied: postgresTransferable(url, 'uk', '--to'),
  };
};

/** More cases than are read at once. */
const manyCases = rowsOfPart + 1;

/** Fills a store with some of everything, in forms that are hard to keep. */
async function fill({ open }: Place, emptyCases = 1): Promise<void> {
  const store = await open();
  const { organisationId, credentialId, update } = await settingFixture(store, 3);
  await store.noteCredentialUses([{ credential_id: credentialId, last_used_at: at }]);
  await settingFixture(store, 2);
  await store.setPermission('viewer', 'organisation_settings:read', true);
  const analysed = await addCase(store, organisationId);
  await store.addFiles({ caseId: analysed, files: [newFile('a'), newFile('b'), newFile('c')], at });
  const completion = { result: resultOf(1), cacheable: true, at, recheckAfterMilliseconds: 0 };
  await store.completeAnalysis((await take(store)).lease, completion);
  await store.failAnalysis((await take(store)).lease, { failure, at });
  await update(true);
  await update(true);
  await saveResult(store, organisationId, 'x', { b: 'ß😀', a: null });
  const metadata = { z: [1.5, null], a: { 10: 'x', 9: 'nul \0' } } as unknown as Record<string, never>;
  const many = buildCase(Array<string>(60).fill('analysis_complete'), { metadata, label: null });
  await addCase(store, organisationId, many);
  await addCase(store, organisationId, buildCase(['analysing'], { label: '"{},\\ \n\t NULL', locked_at: at }));
  const cases = Array.from({ length: emptyCases }, () => buildCase([]));
  await store.importCases(organisationId, cases);
  await store.close();
}

/** All that a store tells, through its own interface. */
async function contents({ open }: Place): Promise<unknown> {
  const store = await open();
  const cases = [];
  const analyses = [];
  // One after the other: on a loaded machine a thousand at once would wait too long for a connection.
  for (const { organisation_id: id, case_id: caseId } of await store.listCases({ limit: 10_000 })) {
    const found = await store.findCase(id, caseId);
    cases.push(found);
    for (const file of found?.files ?? []) analyses.push(await store.readAnalysis(file.file_id));
  }
  const everything = {
    organisations: await store.listOrganisations(),
    roles: await store.listRoles(),
    credentials: await store.listCredentials(),
    audit: await store.listAuditEntries({ limit: 100 }),
    cases,
    analyses,
    cached: await Promise.all(
      (await store.listOrganisations()).map(({ organisation_id: id }) => store.countCachedAnalysisResults(id)),
    ),
  };
  await store.close();
  return JSON.parse(JSON.stringify(everything));
}

/** What holds for a copy from any engine to any; test/unit/cli/store.test.ts has a target that holds data refused. */
function testCopy(way: string, from: () => Promise<Place>, to: () => Promise<Place>): void {
  test(`${way} moves everything as it is, tells how far it has come, and leaves a store that works on, its audit log in order`, async () => {
    const [source, target] = [await from(), await to()];
    await fill(source, manyCases);
    const told: number[] = [];
    const copies = await copyStore(source.copied, target.copied, (copied) => told.push(copied));
    expect(copies.every(isSame)).toBe(true);
    expect(copies.map(({ table, source: { rows } }) => [table, rows])).toEqual([
      ['organisation', 2],
      ['organisation_feature', 2],
      ['role', 3],
      ['role_permission', 4],
      ['credential', 2],
      ['credential_use', 1],
      ['case_record', 3 + manyCases],
      ['case_file', 64],
      ['analysis', 3],
      ['evidence_recheck', 1],
      ['cached_analysis_result', 3],
      ['audit_entry', 4],
    ]);
    expect(told.at(-1)).toBe(await countRows(source.copied));
    expect(await contents(target)).toEqual(await contents(source));

    const store = await target.open();
    const [last] = (await store.listAuditEntries({ limit: 1 })).filter(isSettingUpdate);
    if (!last) throw new Error('the source has audit entries');
    const { organisation_id: organisationId, credential_id: credentialId } = last;
    const change = { organisationId, credentialId, enabled: false, requestId: 'after', occurredAt: at };
    await store.updateVerificationSetting(change);
    await analyse(store);
    expect(await store.countWaitingAnalyses(at)).toBe(0);
    const entries = await store.listAuditEntries({ limit: 2 });
    expect(entries.map((entry) => entry.request_id)).toEqual([null, 'after']);
    await store.close();
  });
}

const organisations = 'organisation';

describe('a copy from SQLite to SQLite', () => {
  testCopy('that is whole', sqlite, sqlite);

  /** test/unit/cli/store.test.ts has PostgreSQL keep nothing. */
  test('keeps nothing if the target does not hold what was sent', async () => {
    const [source, target] = [await sqlite(), await sqlite()];
    await fill(source);
    const forgetful: Transferable = {
      ...target.copied,
      write: (work) =>
        target.copied.write((to) =>
          work({
            ...to,
            insert: (table, rows) => to.insert(table, table === 'cached_analysis_result' ? rows.slice(1) : rows),
          }),
        ),
    };
    const refused = await copyStore(source.copied, forgetful).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CopyError);
    const { copies } = refused as CopyError;
    expect(copies.filter((copy) => !isSame(copy)).map(({ table }) => table)).toEqual(['cached_analysis_result']);
    expect(await target.copied.read((rows) => countOf(rows, organisations))).toBe(0);
    await copyStore(source.copied, target.copied);
  });

  test('does not make the file that it is to read', async () => {
    const path = sqlitePath();
    const refused = copyStore(sqliteTransferable(path), (await sqlite()).copied);
    await expect(refused).rejects.toThrow(StoreOpenError);
    await expect(refused).rejects.toThrow(/cannot be copied: unable to open database file\. Name the file of a store/);
  });

  test('refuses a source of another version', async () => {
    const path = sqlitePath();
    await openSqliteStore(path).close();
    const beside = new Sqlite(path);
    beside.pragma('user_version = 99');
    beside.close();
    const refused = copyStore(sqliteTransferable(path), (await sqlite()).copied);
    await expect(refused).rejects.toThrow(/it has schema version 99, not \d+\./);
  });

  test('refuses a target that another program writes, after a bounded wait', async () => {
    const [source, path] = [await sqlite(), sqlitePath()];
    await fill(source);
    await openSqliteStore(path).close();
    const beside = new Sqlite(path);
    beside.exec('BEGIN IMMEDIATE');
    await expect(copyStore(source.copied, sqliteTransferable(path))).rejects.toThrow(StoreUnavailableError);
    beside.close();
  });
});

describePostgres('a copy with PostgreSQL', () => {
  testCopy('from SQLite', sqlite, postgres);
  testCopy('to SQLite', postgres, sqlite);
  testCopy('from one database to another', postgres, postgres);

  test('has no bound of a server, which its role may have', async () => {
    const [source, target] = [await postgresUrl(), await postgresUrl()];
    await fill(await postgres(source));
    await (await openPostgresStore({ url: target, poolSize: 1 }, 'uk')).close();
    const bounded = (url: string) => postgres(`${url}+-c+idle_in_transaction_session_timeout=1`);
    await copyStore((await bounded(source)).copied, (await bounded(target)).copied);
  });

  test('refuses a source that holds nothing, another version or another region, and does not touch it', async () => {
    const [empty, other] = [await postgresUrl(), await postgresUrl()];
    await (await openPostgresStore({ url: other, poolSize: 1 }, 'ca')).close();
    const older = await postgresUrl();
    await (await openPostgresStore({ url: older, poolSize: 1 }, 'uk')).close();
    await runBeside(older, 'UPDATE store SET schema_version = 0');
    const { copied: target } = await sqlite();
    for (const [url, refusal] of [
      [older, /has schema version 0, not \d+\./],
      [empty, /has no data\./],
      [other, /region ca, not uk/],
    ] as const)
      await expect(copyStore(postgresTransferable(url, 'uk', '--from'), target)).rejects.toThrow(refusal);
    const again = await openPostgresStore({ url: empty, poolSize: 1 }, 'ca');
    await again.close();
  });

  test('is undone when the target is lost before it is kept', async () => {
    const [source, url] = [await sqlite(), await postgresUrl()];
    await fill(source);
    const beside = new pg.Client(url);
    await beside.connect();
    const cut = () =>
      beside.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'`);
    const { copied: target } = await postgres(url);
    const lost: Transferable = {
      ...target,
      write: (work) =>
        target.write(async (to) => {
          const result = await work(to);
          await cut();
          return result;
        }),
    };
    await expect(copyStore(source.copied, lost)).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await target.read((rows) => countOf(rows, organisations))).toBe(0);
    await beside.end();
  });
});
