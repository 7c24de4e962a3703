import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { type ProxyRules, withProxy } from '../support/misbehaving-servers.ts';
import { isBlocked } from '../support/postgres-store.ts';
import { settingFixture } from '../store/conformance/fixtures.ts';

describeDatabase('a PostgreSQL database in trouble', (database) => {
  let url: string;
  let store: Store;
  let beside: pg.Client;
  let fixture: Awaited<ReturnType<typeof settingFixture>>;
  beforeEach(async () => {
    url = await database.emptyUrl();
    store = await openPostgresStore({ url, poolSize: 2 }, 'uk');
    fixture = await settingFixture(store, 1);
    beside = new pg.Client(url);
    await beside.connect();
  });
  afterEach(async () => {
    await beside.end();
    await store.close();
  });

  /** Uses a store through a proxy, after which it must work again. */
  const throughProxy = (work: (distant: Store, rules: ProxyRules) => Promise<void>) => {
    const rules: ProxyRules = {};
    return withProxy(url, rules, async (proxied) => {
      const distant = await openPostgresStore({ url: proxied, poolSize: 2 }, 'uk');
      await work(distant, rules);
      await distant.check();
      await distant.close();
    });
  };
  const entries = () => store.listAuditEntries({ limit: 10 });

  test('that ends connections which nobody uses is used again without help', async () => {
    await Promise.all([store.check(), store.check()]);
    // Each is given time to end: one that is still ending serves a call more.
    await beside.query(
      'SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (let call = 0; call < 4; call += 1) outcomes.push(...(await Promise.allSettled([fixture.update(true)])));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    // A connection that has ended refuses one call at most, and the pool has two.
    expect(refused.length).toBeLessThanOrEqual(2);
    for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailableError);
    expect(outcomes.at(-1)).toMatchObject({ status: 'fulfilled' });
    expect(await entries()).toHaveLength(outcomes.length - refused.length);
  });

  test('that ends a connection in the middle of an update has changed nothing, and is used again', async () => {
    await beside.query('BEGIN');
    await beside.query('SELECT FROM organisation FOR UPDATE');
    const update = fixture.update(true);
    const refused = expect(update).rejects.toThrow(StoreUnavailableError);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%update_verification_setting%'`;
    while ((await database.query(end)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await refused;
    await beside.query('COMMIT');
    expect(await entries()).toEqual([]);
    expect(await store.countCachedAnalysisResults(fixture.organisationId)).toBe(1);
    expect(await fixture.update(true)).toMatchObject({ before: { enabled: false }, cleared: 1 });
  });

  test('whose rows another program holds refuses after a bounded wait, and so does a pool without a free connection', async () => {
    const other = new pg.Client(url);
    await other.connect();
    const busy = await openPostgresStore({ url, poolSize: 1 }, 'uk');
    await beside.query('BEGIN');
    await beside.query('SELECT FROM organisation FOR UPDATE');
    await other.query('BEGIN');
    await other.query('SELECT FROM cached_analysis_result FOR UPDATE');
    const update = busy.updateVerificationSetting(fixture.change);
    expect(await isBlocked(database, update)).toBe(true);
    // It then waits for the other one as long again, and longer than for a connection.
    setTimeout(() => void beside.query('COMMIT'), 2000);
    const name = 'StoreUnavailableError';
    expect(await Promise.allSettled([update, busy.check()])).toMatchObject([
      { reason: { name, outcomeUnknown: false, cause: { code: '55P03' } } },
      { reason: { name, message: expect.stringContaining('timeout') } },
    ]);
    await other.query('COMMIT');
    await Promise.all([other.end(), busy.close()]);
    expect(await entries()).toEqual([]);
    await fixture.update(true);
  });

  test('that falls silent is given up after a bounded wait, and used again when it responds', async () => {
    await throughProxy(async (distant, rules) => {
      await distant.check();
      rules.toServer = () => undefined;
      await expect(distant.check()).rejects.toThrow(StoreUnavailableError);
      delete rules.toServer;
    });
  });

  test.each([
    ['after it was saved', true],
    ['before it was saved', false],
  ])('an update whose connection is lost %s is not made a second time', async (_, saved) => {
    await throughProxy(async (distant, rules) => {
      let lost = false;
      rules.toServer = (bytes, cut) => {
        if (!bytes.includes('update_verification_setting')) return bytes;
        lost = true;
        if (saved) return bytes;
        cut();
        return undefined;
      };
      rules.toClient = (bytes, cut) => {
        if (!lost) return bytes;
        cut();
        return undefined;
      };
      const lostUpdate = { name: 'StoreUnavailableError', outcomeUnknown: true };
      await expect(distant.updateVerificationSetting(fixture.change)).rejects.toMatchObject(lostUpdate);
      delete rules.toServer;
      delete rules.toClient;
      expect(await entries()).toHaveLength(saved ? 1 : 0);
    });
  });
});
