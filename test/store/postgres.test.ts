import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import type { StoredCase } from '../../src/domain/case.ts';
import { ConflictError, StoreUnavailableError } from '../../src/store/errors.ts';
import { filesOfBeginning } from '../../src/store/case-texts/case-source.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { readText } from '../support/store-engines.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore, isBlocked } from '../support/postgres-store.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';
import { describeStore } from './conformance.ts';
import { at, settingFixture } from './conformance/fixtures.ts';

describeDatabase('PostgreSQL', (database) => {
  describeStore('PostgreSQL', async () => {
    const url = await database.serverUrl(await database.freshUrl());
    return openPostgresStore({ url, poolSize: 4 }, 'uk');
  });

  describe('a store of its own', () => {
    const own = eachPostgresStore(database);

    test('tells how its connections are used', async () => {
      await own.store.check();
      expect(own.store.poolState?.()).toEqual({ total: 1, idle: 1, waiting: 0 });
    });

    test('updates by several servers form one chain, with one audit entry each', async () => {
      const { organisationId, credentialId, update } = await settingFixture(own.store, 0);
      const other = await openPostgresStore({ url: own.url, poolSize: 4 }, 'uk');
      const updates = Array.from({ length: 200 }, (_, index) => {
        const enabled = index % 3 === 0;
        const change = { organisationId, enabled, credentialId, requestId: `r${index}`, occurredAt: at };
        return index % 2 === 0 ? update(enabled) : other.updateVerificationSetting(change);
      });
      const saved = await Promise.all(updates);
      const entries = (await own.store.listAuditEntries({ limit: 1000 })).filter(isSettingUpdate).reverse();
      expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(saved.map(({ id }) => id)));
      expect(entries).toHaveLength(200);
      const held = [false, ...entries.map(({ after }) => after.enabled)];
      expect(entries.map(({ before }) => before.enabled)).toEqual(held.slice(0, -1));
      expect(await own.store.readVerificationSetting(organisationId)).toBe(held.at(-1));
      await other.close();
    });

    test('needs one connection for a large case, so that a pool of one serves all who ask', async () => {
      const store = await openPostgresStore({ url: own.url, poolSize: 1 }, 'uk');
      const organisationId = await addOrganisation(store);
      const large = () => {
        const built = buildCase(Array<'analysing'>(filesOfBeginning).fill('analysing'));
        return { ...built, files: built.files.map((file) => ({ ...file, uploaded_at: at })) };
      };
      const caseIds = await Promise.all([1, 2].map(() => addCase(store, organisationId, large())));
      const asked = caseIds.flatMap((caseId) => [
        store.findCaseText(organisationId, caseId),
        store.findCaseText(organisationId, caseId),
      ]);
      await Promise.all([addOrganisation(store), store.listOrganisations(), addOrganisation(store)]);
      for (const text of await Promise.all(asked))
        expect(JSON.parse((await readText(text)) ?? '')).toMatchObject({ total_files: filesOfBeginning });
      await store.close();
    });

    test('imports of the same cases in another order do not wait for each other', async () => {
      const organisationId = await addOrganisation(own.store);
      const [first, middle, last] = ['1', '5', '9'].map((digit) => ({
        ...buildCase([]),
        case_id: randomUUID().replace(/^./, digit),
      })) as [StoredCase, StoredCase, StoredCase];
      const deadlocks = async () => {
        const { rows } = await database.query(
          'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
        );
        return Number(rows[0]?.['deadlocks']);
      };
      const before = await deadlocks();
      await own.beside.query('BEGIN');
      await own.beside.query("INSERT INTO case_record VALUES ($1, $2, NULL, '{}', NULL, $3, $3)", [
        middle.case_id,
        organisationId,
        at,
      ]);
      const imports = Promise.allSettled([
        own.store.importCases(organisationId, [first, middle, last]),
        own.store.importCases(organisationId, [last, middle, first]),
      ]);
      expect(await isBlocked(database, imports, 2)).toBe(true);
      await own.beside.query('ROLLBACK');
      const [done, refused] = (await imports).toSorted((a, b) => (a.status < b.status ? -1 : 1));
      expect(done).toMatchObject({ status: 'fulfilled' });
      expect(refused).toMatchObject({ reason: { name: 'ConflictError', place: '[0].case_id' } });
      expect(await deadlocks()).toBe(before);
    });

    describe('that PostgreSQL undoes because of another transaction', () => {
      /** Has the first tries to write an audit entry fail as a lost race does. */
      const failFirst = (tries: number) =>
        own.beside.query(`
          CREATE SEQUENCE tries;
          CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('tries') <= ${tries} THEN RAISE EXCEPTION 'lost race' USING ERRCODE = '40001'; END IF;
            RETURN NEW;
          END $$;
          CREATE TRIGGER fail_first BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION fail_first()`);

      test('an update is tried again, and made once', async () => {
        const { update } = await settingFixture(own.store, 2);
        await failFirst(3);
        const entry = await update(true);
        expect(entry).toMatchObject({ before: { enabled: false }, cleared: 2 });
        expect(await own.store.listAuditEntries({ limit: 10 })).toEqual([entry]);
      });

      test('an update is unavailable after a number of tries, and its outcome is known', async () => {
        const { organisationId, update } = await settingFixture(own.store, 2);
        await failFirst(1000);
        await expect(update(true)).rejects.toMatchObject({ name: 'StoreUnavailableError', outcomeUnknown: false });
        expect(await own.store.readVerificationSetting(organisationId)).toBe(false);
      });
    });

    test.each([
      ['changed', "UPDATE audit_entry SET request_id = 'other'"],
      ['deleted', 'DELETE FROM audit_entry'],
      ['emptied', 'TRUNCATE audit_entry'],
      ['emptied with another table', 'TRUNCATE organisation CASCADE'],
      [
        'replaced',
        `INSERT INTO audit_entry OVERRIDING SYSTEM VALUE SELECT * FROM audit_entry
         ON CONFLICT (id) DO UPDATE SET request_id = 'other'`,
      ],
    ])('an audit entry cannot be %s, not even by another program', async (_, statement) => {
      const { update } = await settingFixture(own.store, 0);
      const entry = await update(true);
      await expect(own.beside.query(statement)).rejects.toThrow('audit entries are append-only');
      expect(await own.store.listAuditEntries({ limit: 10 })).toEqual([entry]);
    });

    test('a commit is on disk when it is told, even if the database was told otherwise', async () => {
      const { update } = await settingFixture(own.store, 0);
      await own.beside.query(`
        CREATE TABLE seen (synchronous_commit text);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
        CREATE TRIGGER note AFTER INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION note()`);
      const loose = new URL(own.url);
      loose.searchParams.set('options', `${loose.searchParams.get('options') ?? ''} -c synchronous_commit=off`);
      const other = await openPostgresStore({ url: loose.href, poolSize: 1 }, 'uk');
      const [organisation] = await own.store.listOrganisations();
      const [credential] = await own.store.listCredentials();
      await update(true);
      await other.updateVerificationSetting({
        organisationId: organisation?.organisation_id ?? '',
        credentialId: credential?.credential_id ?? '',
        enabled: false,
        requestId: 'request-2',
        occurredAt: at,
      });
      await other.close();
      expect((await own.beside.query('SELECT * FROM seen')).rows).toEqual([
        { synchronous_commit: 'on' },
        { synchronous_commit: 'on' },
      ]);
    });

    test('metadata is given back byte for byte, also what its own JSON type would not hold', async () => {
      const organisationId = await addOrganisation(own.store);
      const metadata = { b: 1, a: { 10: 'x', 9: 'nul \0' } } as unknown as Record<string, never>;
      const caseId = await addCase(own.store, organisationId, buildCase([], { metadata }));
      const { rows } = await own.beside.query<{ metadata: string }>('SELECT metadata FROM case_record');
      expect(rows[0]?.metadata).toBe(JSON.stringify(metadata));
      expect(JSON.stringify((await own.store.findCase(organisationId, caseId))?.metadata)).toBe(
        JSON.stringify(metadata),
      );
    });

    test('a character that PostgreSQL cannot hold is refused by an import, and found nowhere', async () => {
      const organisationId = await addOrganisation(own.store);
      const refused = own.store.importCases(organisationId, [buildCase([]), buildCase([], { label: 'nul \0' })]);
      await expect(refused).rejects.toMatchObject({ name: 'ConflictError', place: '[1]' });
      expect(await own.store.listCases({ limit: 10 })).toEqual([]);
      expect(await own.store.findCase(organisationId, 'nul \0')).toBeUndefined();
    });

    test('an import of many files is whole, and one taken among them is told', async () => {
      const organisationId = await addOrganisation(own.store);
      const large = buildCase([], { files: manyFiles(1234) });
      await addCase(own.store, organisationId, large);
      expect(await own.store.findCase(organisationId, large.case_id)).toEqual(large);
      const [first] = large.files;
      if (!first) throw new Error('a case with files was asked for');
      const other = buildCase([], { files: [...manyFiles(700), first] });
      const refused = own.store.importCases(organisationId, [other]);
      await expect(refused).rejects.toMatchObject({ place: '[0].files[700].file_id' });
      const twice = buildCase([], { files: [...manyFiles(1), first, first].slice(0, 1) });
      twice.files.push(...twice.files);
      await expect(own.store.importCases(organisationId, [twice])).rejects.toMatchObject({
        place: '[0].files[1].file_id',
      });
    });

    test('of two imports of the same cases at once one is made, and the other refused', async () => {
      const organisationId = await addOrganisation(own.store);
      const cases = Array.from({ length: 20 }, () => buildCase(['analysing']));
      const outcomes = await Promise.allSettled([
        own.store.importCases(organisationId, cases),
        own.store.importCases(organisationId, cases.toReversed()),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused?.reason).toBeInstanceOf(ConflictError);
      expect(await own.store.listCases({ limit: 100 })).toHaveLength(20);
    });

    test('what another program broke is an error, not an unavailability', async () => {
      await own.beside.query('DROP TABLE role_permission');
      await expect(own.store.listRoles()).rejects.toMatchObject({ code: '42P01' });
      await expect(own.store.listRoles()).rejects.not.toThrow(StoreUnavailableError);
    });

    test('a database whose schema is older than the program is unavailable', async () => {
      await own.beside.query('UPDATE store SET schema_version = 0');
      await expect(own.store.check()).rejects.toThrow(StoreUnavailableError);
    });

    describe('every statement of an operation', () => {
      let statements: { text: string; values: unknown[] }[];
      beforeEach(async () => {
        const { organisationId, update } = await settingFixture(own.store, 1);
        const caseId = await addCase(own.store, organisationId, buildCase(['analysing']));
        const query = jest.spyOn(pg.Client.prototype, 'query');
        await own.store.findCredential(createHash('sha256').update('x').digest());
        await own.store.findFeatures(organisationId);
        await own.store.readVerificationSetting(organisationId);
        await update(true);
        await own.store.findCaseText(organisationId, caseId);
        statements = query.mock.calls
          .map(([first]) => first as unknown as { text: string; values: unknown[] })
          .filter(({ values }) => Array.isArray(values));
        query.mockRestore();
      });

      test('is bound to one organisation, and prepared', () => {
        expect(statements).toHaveLength(5);
        for (const statement of statements) {
          expect(statement.text).toMatch(/organisation_id/);
          expect(statement).toMatchObject({ name: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown });
        }
      });

      test('finds its rows by an index among many', async () => {
        await own.beside.query(`
          INSERT INTO organisation SELECT 'o' || n, 'name ' || n, '2026-01-01T00:00:00.000Z' FROM generate_series(1, 3000) n;
          INSERT INTO organisation_feature SELECT 'o' || n, 'verification' FROM generate_series(1, 3000) n;
          INSERT INTO credential SELECT 'c' || n, 'o' || n, 'access-token', NULL, sha256(n::text::bytea),
            '2026-01-01T00:00:00.000Z' FROM generate_series(1, 3000) n;
          INSERT INTO case_record SELECT 'k' || n, 'o' || n, NULL, '{}', NULL, '2026-01-01T00:00:00.000Z',
            '2026-01-01T00:00:00.000Z' FROM generate_series(1, 3000) n;
          INSERT INTO case_file SELECT 'k' || n, '2026-01-01T00:00:00.000Z', 'f' || n, '', '', '', '', NULL
            FROM generate_series(1, 3000) n;
          INSERT INTO cached_analysis_result SELECT 'o' || n, sha256(n::text::bytea), '{}', '2026-01-01T00:00:00.000Z'
            FROM generate_series(1, 3000) n;
          ANALYZE`);
        for (const { text, values } of statements) {
          const { rows } = await own.beside.query<Record<'QUERY PLAN', string>>(`EXPLAIN ${text}`, values);
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          // A role has a handful of permissions: reading them all is the quickest way.
          expect(plan.replaceAll('Seq Scan on role_permission', '')).not.toContain('Seq Scan');
        }
      });
    });
  });
});

function manyFiles(count: number) {
  return buildCase(Array<string>(count).fill('analysing')).files.map((file, index) => ({
    ...file,
    file_id: randomUUID(),
    uploaded_at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
  }));
}
