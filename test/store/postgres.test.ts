import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { filesOfBeginning } from '../../src/store/case-texts/case-source.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { readText } from '../support/store-engines.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore } from '../support/postgres-store.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';
import { describeStore } from './conformance.ts';
import { filesAtOnce, settingFixture } from './conformance/fixtures.ts';
import { isContention, reasonOf, sqlState, translate } from '../../src/store/postgres/client.ts';

describeDatabase('PostgreSQL', (database) => {
  describeStore('PostgreSQL', async () => database.openStore(await database.serverUrl(await database.emptyUrl())));

  describe('a store of its own', () => {
    const own = eachPostgresStore(database);

    test('tells how its connections are used', async () => {
      const store = await openPostgresStore({ url: own.url, poolSize: 4 }, 'uk');
      await store.check();
      expect(store.poolState?.()).toEqual({ total: 1, idle: 1, waiting: 0 });
      await store.close();
    });

    test('needs one connection for a large case, so that a pool of one serves all who ask', async () => {
      const store = await openPostgresStore({ url: own.url, poolSize: 1 }, 'uk');
      const organisationId = await addOrganisation(store);
      const large = () => buildCase([], { files: filesAtOnce(filesOfBeginning) });
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

    /** Has the first tries to write an audit entry fail as a lost race does. */
    const failFirst = (tries: number) =>
      own.beside.query(`
          CREATE SEQUENCE tries;
          CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('tries') <= ${tries} THEN RAISE EXCEPTION 'lost race' USING ERRCODE = '40001'; END IF;
            RETURN NEW;
          END $$;
          CREATE TRIGGER fail_first BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION fail_first()`);

    test('makes an update that PostgreSQL undoes because of another transaction, once', async () => {
      const { update } = await settingFixture(own.store, 2);
      await failFirst(3);
      const entry = await update(true);
      expect(entry).toMatchObject({ before: { enabled: false }, cleared: 2 });
      expect(await own.store.listAuditEntries({ limit: 10 })).toEqual([entry]);
    });

    test('is unavailable for an update that PostgreSQL undoes again and again, and its outcome is known', async () => {
      const { organisationId, update } = await settingFixture(own.store, 2);
      await failFirst(1000);
      await expect(update(true)).rejects.toMatchObject({ name: 'StoreUnavailableError', outcomeUnknown: false });
      expect(await own.store.readVerificationSetting(organisationId)).toBe(false);
    });
  });
});

const errorWith = (code?: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('what the server says', 0, 'error'), code !== undefined && { code });

test.each(['08006', '28P01', '53300', '57P01', '58030', '3D000', '25006', '25P03', '55P03', '40001', '40P01'])(
  'an error of PostgreSQL %s lies outside of the statement, and its code stays known',
  (code) => {
    const fault = translate(errorWith(code), 'd on h:1');
    const message = 'The database d on h:1 cannot be used: what the server says';
    expect(fault).toMatchObject({ name: 'StoreUnavailableError', message });
    expect([sqlState(fault), isContention(fault)]).toEqual([code, code === '40001' || code === '40P01']);
  },
);

test.each(['23505', '22021', undefined])('an error of PostgreSQL %s is that of the statement, as it is', (code) => {
  const error = errorWith(code);
  expect(translate(error, 'd')).toBe(error);
  expect(isContention(error)).toBe(false);
});

test('an error of the connection to PostgreSQL has no code, and a reason also if several addresses were tried', () => {
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  const fault = translate(several, 'd');
  const message = 'The database d cannot be used: ECONNREFUSED';
  expect(fault).toMatchObject({ name: 'StoreUnavailableError', message });
  expect([sqlState(fault), isContention(fault), reasonOf(new Error('why'))]).toEqual([undefined, false, 'why']);
});
