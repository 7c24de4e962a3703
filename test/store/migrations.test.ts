import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { initial as initialPostgres } from '../../src/store/postgres/migrations/0001-initial.ts';
import { migrations as postgresMigrations } from '../../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { initial as initialSqlite } from '../../src/store/sqlite/migrations/0001-initial.ts';
import { migrations as sqliteMigrations } from '../../src/store/sqlite/migrate.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { newFile, take } from './conformance/analysis-fixtures.ts';

const at = '2026-03-02T12:00:00.000Z';
const digest = '11'.repeat(32);

/** Data of release 0.0.1, whose audit log has a gap as after an update that was undone. */
const released = (bytes: string, on: string, overriding = '') => `
  INSERT INTO organisation VALUES ('o1', 'One', '${at}', ${on});
  INSERT INTO organisation_feature VALUES ('o1', 'verification');
  INSERT INTO credential VALUES ('c1', 'o1', 'api-key', 'owner', ${bytes}, '${at}', NULL, NULL);
  INSERT INTO case_record VALUES ('k1', 'o1', 'A case', '{"a":1}', NULL, '${at}', '${at}');
  INSERT INTO case_file VALUES ('k1', '${at}', 'f1', 'a.pdf', 'https://t.example/', 'application/pdf', 'analysing', NULL);
  INSERT INTO cached_analysis_result VALUES ('o1', ${bytes}, '{"b":2}', '${at}');
  INSERT INTO audit_entry (sequence, id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
    ${overriding} VALUES
    (3, 'e3', '${at}', 'o1', 'c1', 'organisation.verification-setting.updated', '{"enabled":false}', '{"enabled":true}', 'r3', 2),
    (7, 'e7', '${at}', 'o1', 'c1', 'organisation.verification-setting.updated', '{"enabled":true}', '{"enabled":true}', 'r7', 0);
`;
const entries = [
  { id: 'e7', before: { enabled: true }, after: { enabled: true }, request_id: 'r7', cleared: 0 },
  { id: 'e3', before: { enabled: false }, after: { enabled: true }, request_id: 'r3', cleared: 2 },
].map((entry) => ({
  ...entry,
  occurred_at: at,
  organisation_id: 'o1',
  credential_id: 'c1',
  action: 'organisation.verification-setting.updated',
}));

/** What must hold of released data after it was migrated; `sequences` reads those of the audit log. */
async function expectKept(store: Store, sequences: () => Promise<unknown[]>): Promise<void> {
  expect(await store.listAuditEntries({ limit: 10 })).toEqual(entries);
  expect(await store.readVerificationSetting('o1')).toBe(true);
  expect(await store.countCachedAnalysisResults('o1')).toBe(1);
  expect(await store.findCase('o1', 'k1')).toMatchObject({ metadata: { a: 1 }, files: [{ file_id: 'f1' }] });
  expect(await store.readAnalysis('f1')).toMatchObject({ analysis_status: 'analysing', content_sha256: null });
  const change = { organisationId: 'o1', credentialId: 'c1', enabled: true, requestId: 'r8', occurredAt: at };
  await store.updateVerificationSetting(change);
  const file = { ...newFile(), content_sha256: Buffer.from(digest, 'hex') };
  await store.addFiles({ caseId: 'k1', files: [file], at });
  expect(await store.takeAnalysis({ at, leaseMilliseconds: 0 })).toMatchObject({ from_cache: true });
  await store.addFiles({ caseId: 'k1', files: [newFile('other')], at });
  expect(await take(store)).toMatchObject({ verification_enabled: true });
  expect((await sequences()).map(Number)).toEqual([3, 7, 8, 9]);
}

const tampering = ["UPDATE audit_entry SET request_id = 'other'", 'DELETE FROM audit_entry WHERE sequence = 3'];
const halfNobody = `
  INSERT INTO audit_entry (id, occurred_at, organisation_id, action, before, after, request_id, cleared)
  VALUES ('e', '${at}', 'o1', 'a', '{}', '{}', 'r', 0)`;

describe('a SQLite file of release 0.0.1', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'document-analysis-migration-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('keeps its data, the order of its audit log, and that nobody changes it', async () => {
    const path = join(folder, 'store.sqlite');
    const older = new Sqlite(path);
    older.exec(`PRAGMA foreign_keys = ON; ${initialSqlite} ${released(`x'${digest}'`, '1')} PRAGMA user_version = 1`);
    older.close();
    const store = openSqliteStore(path);
    const beside = new Sqlite(path);
    await expectKept(store, () =>
      Promise.resolve(beside.prepare('SELECT sequence FROM audit_entry ORDER BY sequence').pluck().all()),
    );
    const replacing = "INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry WHERE id = 'e3'";
    for (const statement of [...tampering, replacing])
      expect(() => beside.exec(statement)).toThrow('audit entries are append-only');
    expect([beside.pragma('foreign_key_check'), beside.pragma('integrity_check', { simple: true })]).toEqual([
      [],
      'ok',
    ]);
    expect(() => beside.exec(halfNobody)).toThrow('CHECK constraint failed');
    const next = beside.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'audit_entry'").pluck().all();
    expect(next).toEqual([9]);
    beside.close();
    await store.close();
  });
});

/** A register that was imported before there were several. */
const importedRegister = `
  INSERT INTO company_register (state, source, companies, imported_at) VALUES ('current', 'companies.csv', 1, '${at}');
  INSERT INTO registry_company SELECT generation, '01234567', 'ACME LTD', 'Active' FROM company_register`;

async function expectRegisterKept(store: Store): Promise<void> {
  expect(await store.readCompanyRegister()).toEqual({ source: 'companies.csv', companies: 1, imported_at: at });
  expect(await store.findCompany('01234567')).toMatchObject({ name: 'ACME LTD' });
  expect(await store.readCompanyRegister('ca-corporations')).toBeUndefined();
}

describe('a SQLite file with an imported register', () => {
  test('keeps it as the UK register', async () => {
    const older = new Sqlite(':memory:');
    for (const migration of sqliteMigrations.slice(0, 6)) older.exec(migration);
    older.exec(`${importedRegister}; PRAGMA user_version = 6`);
    const path = join(await mkdtemp(join(tmpdir(), 'document-analysis-migration-')), 'store.sqlite');
    older.exec(`VACUUM INTO '${path}'`);
    older.close();
    const store = openSqliteStore(path);
    await expectRegisterKept(store);
    await store.close();
    await rm(dirname(path), { recursive: true });
  });
});

describeDatabase('a PostgreSQL database with an imported register', (database) => {
  test('keeps it as the UK register', async () => {
    const url = await database.freshUrl();
    const older = new pg.Client(url);
    await older.connect();
    await older.query(`${postgresMigrations.slice(0, 7).join(';')};
      CREATE TABLE store (
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), region text NOT NULL, schema_version integer NOT NULL
      );
      INSERT INTO store VALUES (true, 'uk', 7);
      SELECT add_register_partition(1);
      ${importedRegister}`);
    await older.end();
    const store = await openPostgresStore({ url, poolSize: 2 }, 'uk');
    await expectRegisterKept(store);
    await store.close();
  });
});

describeDatabase('a PostgreSQL database of release 0.0.1', (database) => {
  test('keeps its data, the order of its audit log, and that nobody changes it', async () => {
    const url = await database.freshUrl();
    const beside = new pg.Client(url);
    await beside.connect();
    await beside.query(`${initialPostgres}
      CREATE TABLE store (
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), region text NOT NULL, schema_version integer NOT NULL
      );
      INSERT INTO store VALUES (true, 'uk', 1);
      ${released(`'\\x${digest}'`, 'true', 'OVERRIDING SYSTEM VALUE')}
      SELECT setval(pg_get_serial_sequence('audit_entry', 'sequence'), 7)`);
    const store = await openPostgresStore({ url, poolSize: 2 }, 'uk');
    await expectKept(store, async () => {
      const { rows } = await beside.query<{ sequence: string }>('SELECT sequence FROM audit_entry ORDER BY sequence');
      return rows.map(({ sequence }) => sequence);
    });
    for (const statement of [...tampering, 'TRUNCATE audit_entry'])
      await expect(beside.query(statement)).rejects.toThrow('audit entries are append-only');
    await expect(beside.query(halfNobody)).rejects.toThrow('violates check constraint');
    await beside.end();
    await store.close();
  });
});
