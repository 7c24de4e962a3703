import { beforeEach, expect, test } from '@jest/globals';
import { StoreOpenError, StoreUnavailableError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { migrations } from '../../src/store/schema/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeEngines } from '../support/store-engines.ts';
import { at, settingFixture } from './conformance/fixtures.ts';

const columns = 'occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared';
/** What changes an audit entry, or removes it. */
const tampering = {
  both: ["UPDATE audit_entry SET request_id = 'other'", 'DELETE FROM audit_entry'],
  SQLite: [
    `INSERT OR REPLACE INTO audit_entry SELECT sequence + 1, id, ${columns} FROM audit_entry`,
    `INSERT OR REPLACE INTO audit_entry SELECT sequence, 'other', ${columns} FROM audit_entry`,
  ],
  PostgreSQL: [
    'TRUNCATE audit_entry',
    'TRUNCATE organisation CASCADE',
    `INSERT INTO audit_entry OVERRIDING SYSTEM VALUE SELECT * FROM audit_entry
     ON CONFLICT (id) DO UPDATE SET request_id = 'other'`,
  ],
};
/** What lets nobody else write, or migrate. */
const hold = { SQLite: 'BEGIN IMMEDIATE', PostgreSQL: 'BEGIN; SELECT pg_advisory_xact_lock(7305804418)' };

describeEngines('the schema of a store', (opened) => {
  let setting: Awaited<ReturnType<typeof settingFixture>>;
  beforeEach(async () => {
    setting = await settingFixture(opened.store, 2);
    await setting.update(true);
  });

  const again = async (): Promise<Store> =>
    opened.engine === 'SQLite'
      ? openSqliteStore(opened.place)
      : openPostgresStore({ url: opened.place, poolSize: 2 }, 'uk');

  test('lets no program change the audit log, or write an entry with half of an author', async () => {
    const entries = await opened.store.listAuditEntries({ limit: 10 });
    expect(entries).toHaveLength(1);
    for (const statement of [...tampering.both, ...tampering[opened.engine]])
      await expect(opened.beside(statement)).rejects.toThrow('audit entries are append-only');
    const halfNobody = `
      INSERT INTO audit_entry (id, occurred_at, organisation_id, action, before, after, request_id, cleared)
      VALUES ('e', '${at}', '${setting.organisationId}', 'a', '{}', '{}', 'r', 0)`;
    await expect(opened.beside(halfNobody)).rejects.toThrow(/CHECK constraint failed|violates check constraint/);
    expect(await opened.store.listAuditEntries({ limit: 10 })).toEqual(entries);
  });

  test('of this version is opened with its data, without waiting for a writer or a migration', async () => {
    await opened.beside(hold[opened.engine]);
    const store = await again();
    expect(await store.listOrganisations()).toMatchObject([{ organisation_id: setting.organisationId }]);
    await store.close();
    await opened.beside('ROLLBACK');
  });

  test('of an older version is brought up to date once, by several processes at once, and keeps its data', async () => {
    migrations.push(
      () => "CREATE TABLE later (number INTEGER); INSERT INTO later VALUES (1); INSERT INTO role VALUES ('new')",
    );
    try {
      const outdated = opened.store.check();
      await expect(outdated).rejects.toThrow(StoreUnavailableError);
      await expect(outdated).rejects.toThrow(/has schema version 1, not 2/);
      const stores = await Promise.all([again(), again(), again()]);
      for (const store of stores) {
        await store.check();
        expect(await store.listAuditEntries({ limit: 10 })).toMatchObject([{ cleared: 2 }]);
        expect((await store.listRoles()).map(({ role }) => role)).toEqual(['member', 'new', 'owner', 'viewer']);
        await store.close();
      }
      await opened.beside('INSERT INTO later VALUES (2)');
    } finally {
      migrations.pop();
    }
    const newer = again();
    await expect(newer).rejects.toThrow(StoreOpenError);
    await expect(newer).rejects.toThrow(
      /^The database .* has schema version 2, .* up to 1 only\. Start the program version that last used it/,
    );
  });

  test('stays as it was if a migration fails, which the next start tries again', async () => {
    migrations.push(() => "INSERT INTO role VALUES ('half'); INSERT INTO nowhere VALUES (1)");
    try {
      await expect(again()).rejects.toThrow(/nowhere/);
    } finally {
      migrations.pop();
    }
    await opened.store.check();
    expect((await opened.store.listRoles()).map(({ role }) => role)).toEqual(['member', 'owner', 'viewer']);
  });

  test('that another program broke is an error, not an unavailability', async () => {
    await opened.beside('DROP TABLE role_permission');
    const refused = opened.store.listRoles();
    await expect(refused).rejects.toThrow(/role_permission/);
    await expect(refused).rejects.not.toThrow(StoreUnavailableError);
  });
});
