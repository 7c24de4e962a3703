import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { migrations } from '../../src/store/schema/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeEngines, type StoreEngine } from '../support/store-engines.ts';
import { settingFixture } from './conformance/fixtures.ts';

const at = '2026-03-02T12:00:00.000Z';

describeEngines('the schema of a store', (open) => {
  let opened: StoreEngine;
  let setting: Awaited<ReturnType<typeof settingFixture>>;
  beforeEach(async () => {
    opened = await open();
    setting = await settingFixture(opened.store, 2);
    await setting.update(true);
  });
  afterEach(() => opened.close());

  const again = (): Promise<Store> | Store =>
    opened.engine === 'SQLite'
      ? openSqliteStore(opened.place)
      : openPostgresStore({ url: opened.place, poolSize: 2 }, 'uk');

  test('lets nobody change the audit log, or write an entry with half of an author', async () => {
    const tampering = [
      "UPDATE audit_entry SET request_id = 'other'",
      'DELETE FROM audit_entry',
      opened.engine === 'SQLite'
        ? 'INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry'
        : 'TRUNCATE audit_entry',
    ];
    for (const statement of tampering)
      await expect(opened.beside(statement)).rejects.toThrow('audit entries are append-only');
    const halfNobody = `
      INSERT INTO audit_entry (id, occurred_at, organisation_id, action, before, after, request_id, cleared)
      VALUES ('e', '${at}', '${setting.organisationId}', 'a', '{}', '{}', 'r', 0)`;
    await expect(opened.beside(halfNobody)).rejects.toThrow(/CHECK constraint failed|violates check constraint/);
    expect(await opened.store.listAuditEntries({ limit: 10 })).toHaveLength(1);
  });

  test('of an older version is brought up to date once, by several processes at once, and keeps its data', async () => {
    migrations.push(
      () => "CREATE TABLE later (number INTEGER); INSERT INTO later VALUES (1); INSERT INTO role VALUES ('new')",
    );
    try {
      await expect(opened.store.check()).rejects.toThrow(/has schema version 1, not 2/);
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
    await expect((async () => again())()).rejects.toThrow(/has schema version 2, .* up to 1 only/);
  });

  test('stays as it was if a migration fails, which the next start tries again', async () => {
    const fails = () => "INSERT INTO role VALUES ('half'); INSERT INTO nowhere VALUES (1)";
    migrations.push(fails);
    try {
      await expect((async () => again())()).rejects.toThrow(/nowhere/);
    } finally {
      migrations.pop();
    }
    await opened.store.check();
    expect((await opened.store.listRoles()).map(({ role }) => role)).toEqual(['member', 'owner', 'viewer']);
  });
});
