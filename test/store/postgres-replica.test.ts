import { expect, test } from '@jest/globals';
import type { Organisation } from '../../src/domain/organisation.ts';
import { StoreOpenError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { OnReplica } from '../../src/store/postgres/cases.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { type ProxyRules, withProxy } from '../support/misbehaving-servers.ts';
import { addCase, addOrganisation, buildCase, setFeature } from '../support/tenants.ts';

/** A second database stands for the replica: what it holds differently shows which was read. */
describeDatabase('a PostgreSQL store with a read replica', (database) => {
  /** Two databases with the same organisation and case, told apart by the case's label. */
  const pair = async () => {
    const [url, readUrl] = [await database.freshUrl(), await database.freshUrl()];
    const primary = await openPostgresStore({ url, poolSize: 2 }, 'uk');
    const replica = await openPostgresStore({ url: readUrl, poolSize: 2 }, 'uk');
    const organisationId = await addOrganisation(primary);
    const [organisation] = (await primary.listOrganisations()) as [Organisation];
    await replica.createOrganisation(organisation);
    const added = buildCase(['analysing'], { label: 'from the primary' });
    await addCase(primary, organisationId, added);
    await addCase(replica, organisationId, { ...added, label: 'from the replica' });
    await replica.close();
    const open = (others: object = {}, onReplica?: OnReplica) =>
      openPostgresStore({ url, readUrl, poolSize: 2, ...others }, 'uk', onReplica);
    return { url, readUrl, primary, open, organisationId, caseId: added.case_id };
  };

  test('reads cases from it, all else from the primary', async () => {
    const { primary, open, organisationId, caseId } = await pair();
    await setFeature(primary, organisationId, false);
    const store = await open();
    expect(await store.findCase(organisationId, caseId)).toMatchObject({ label: 'from the replica' });
    expect(await store.findFeatures(organisationId)).toEqual([]);
    await store.close();
    await primary.close();
  });

  test('finds a case that it does not know yet at the primary', async () => {
    const { primary, open, organisationId } = await pair();
    const store = await open();
    const caseId = await addCase(primary, organisationId);
    expect(await store.findCase(organisationId, caseId)).toMatchObject({ case_id: caseId });
    expect(await store.findCase(await addOrganisation(primary), caseId)).toBeUndefined();
    await store.close();
    await primary.close();
  });

  test('reads from the primary while it is lost, which is told once, and tries it again after a pause', async () => {
    const { readUrl, primary, open, organisationId, caseId } = await pair();
    const told: string[] = [];
    const rules: ProxyRules = {};
    await withProxy(readUrl, rules, async (proxied) => {
      const store = await open({ readUrl: proxied }, (message) => told.push(message));
      const readFrom = async () => (await store.findCase(organisationId, caseId))?.label;
      expect(await readFrom()).toBe('from the replica');
      rules.toServer = (_, cut) => {
        cut();
        return undefined;
      };
      for (let index = 0; index < 3; index += 1) expect(await readFrom()).toBe('from the primary');
      expect(told).toEqual([expect.stringMatching(/replica cannot be used: cases are read from the primary/)]);
      delete rules.toServer;
      expect(await readFrom()).toBe('from the primary');
      const clock = performance.now.bind(performance);
      performance.now = () => clock() + 11_000;
      expect(await readFrom()).toBe('from the replica');
      performance.now = clock;
      expect(told).toEqual([expect.anything(), 'The read replica is used again']);
      await store.close();
    });
    await primary.close();
  });

  test.each([
    ['it is out of reach', { port: '1' }],
    ['its host is not to be found', { hostname: 'replica.invalid' }],
  ])('starts without it when %s', async (_, place) => {
    const { url, primary, open, organisationId, caseId } = await pair();
    const told: string[] = [];
    const away = Object.assign(new URL(url), place);
    const store = await open({ readUrl: away.href }, (message) => told.push(message));
    expect(told).toHaveLength(1);
    expect(await store.findCase(organisationId, caseId)).toMatchObject({ label: 'from the primary' });
    await store.close();
    await primary.close();
  });

  test.each([
    ['holds another region', /belongs to region ca, not uk/],
    ['holds nothing', /has no data\. DATABASE_READ_URL must name a replica of the database in DATABASE_URL\.$/],
    ['does not exist', /Create the database, or correct its name in DATABASE_READ_URL\.$/],
  ])('refuses one that %s', async (what, message) => {
    const [url, readUrl] = [await database.freshUrl(), new URL(await database.freshUrl())];
    if (what === 'holds another region')
      await (await openPostgresStore({ url: readUrl.href, poolSize: 1 }, 'ca')).close();
    if (what === 'does not exist') readUrl.pathname = 'nowhere';
    const refused = openPostgresStore({ url, readUrl: readUrl.href, poolSize: 1 }, 'uk');
    await expect(refused).rejects.toThrow(StoreOpenError);
    await expect(refused).rejects.toThrow(message);
  });
});
