/** Two servers of many connections behind PgBouncer in transaction mode, which has three to PostgreSQL. */
import { expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { afterwards } from '../support/afterwards.ts';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation, buildCase } from '../support/tenants.ts';
import { startPgBouncer } from './pgbouncer.ts';

const serverConnections = 3;
const poolSize = 10;

const database = await createTestDatabase();
const url = await database.serverUrl(database.url);
const role = new URL(url).username;
await prepareDatabase(url, 'uk', { pooled: true });
const pooler = await startPgBouncer(url, ['pool_mode = transaction', `default_pool_size = ${serverConnections}`]);
const beside = await openPostgresStore({ url: database.url, poolSize: 2 }, 'uk');
afterwards(() => beside.close());
const openStore = () => openPostgresStore({ url: pooler.url, poolSize, pooled: true }, 'uk');
const servers = await Promise.all([1, 2].map(() => startHarness({ openStore, rateLimits: { requests: 100_000 } })));

const newTenant = async () => {
  const id = await addOrganisation(beside);
  const key = await addApiKey(beside, id, 'owner');
  const caseId = await addCase(beside, id, buildCase(['analysing'], { label: id }));
  return { id, key, caseId, token: await addAccessToken(beside, id) };
};
type Tenant = Awaited<ReturnType<typeof newTenant>>;
const server = (index: number) => servers[index % 2] as Harness;
const readSetting = (index: number, { key }: Tenant) =>
  server(index).call('GET', settingPath, { headers: { 'x-api-key': key } });
const update = (index: number, { key }: Tenant, enabled: boolean) =>
  server(index).call('PUT', settingPath, { headers: { 'x-api-key': key }, body: { enabled } });
const readCase = (index: number, { token }: Tenant, caseId: string) =>
  server(index).call('GET', `/cases/${caseId}`, { headers: { authorization: `Bearer ${token}` } });

test('requests at once share few connections, and each gets what is its own', async () => {
  const tenants = await Promise.all(Array.from({ length: 8 }, newTenant));
  const rounds = Array.from({ length: 25 }, (_, index) => index);
  await Promise.all(
    tenants.map(async (tenant, place) => {
      // Half of them change nothing; one of two rounds changes the setting of the others.
      const changes = place % 2 === 0;
      for (const round of rounds) {
        const enabled = round % 2 === 0;
        if (changes) expect(await update(round, tenant, enabled)).toMatchObject({ status: 200, body: { enabled } });
        const own = tenant.caseId;
        const foreign = tenants[(place + 1) % tenants.length]?.caseId ?? '';
        expect(
          await Promise.all([
            ...[0, 1].map((index) => readSetting(index, tenant)),
            ...[0, 1].map((index) => readCase(index, tenant, own)),
            readCase(round, tenant, foreign),
          ]),
        ).toMatchObject([
          ...[0, 1].map(() => ({ status: 200, body: { enabled: changes && enabled } })),
          ...[0, 1].map(() => ({ status: 200, body: { case_id: own, label: tenant.id } })),
          { status: 404 },
        ]);
      }
    }),
  );
  const ofDatabase = (row: Record<string, unknown>) => row['database'] === new URL(pooler.url).pathname.slice(1);
  const clients = (await pooler.command('SHOW CLIENTS')).filter(ofDatabase).length;
  expect(clients).toBeGreaterThan(serverConnections);
  expect((await pooler.command('SHOW SERVERS')).filter(ofDatabase).length).toBeLessThanOrEqual(serverConnections);
  const { rows } = await database.query('SELECT count(*)::integer FROM pg_stat_activity WHERE usename = $1', [role]);
  expect(rows[0]?.['count']).toBeLessThanOrEqual(serverConnections);
  for (const [place, { id }] of tenants.entries()) {
    const entries = (await beside.listAuditEntries({ organisationId: id, limit: 100 })).filter(isSettingUpdate);
    expect(entries).toHaveLength(place % 2 === 0 ? rounds.length : 0);
    const held = [false, ...entries.reverse().map(({ after }) => after.enabled)];
    expect(entries.map(({ before }) => before.enabled)).toEqual(held.slice(0, -1));
  }
}, 60_000);

test('while the pooler is killed, requests get 503, and what they should when it is back', async () => {
  const tenant = await newTenant();
  const during = Promise.all(Array.from({ length: 20 }, (_, index) => readSetting(index, tenant)));
  await pooler.kill();
  for (const { status } of await during) expect([200, 503]).toContain(status);
  const unavailable = { status: 503, body: { error_code: 'service.unavailable' } };
  expect([await readSetting(0, tenant), await update(1, tenant, true)]).toMatchObject([unavailable, unavailable]);
  await expect(server(0).store.check()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  await pooler.start();
  for (const index of [0, 1]) {
    await server(index).store.check();
    expect(await update(index, tenant, index === 0)).toMatchObject({ status: 200 });
  }
  expect(await beside.listAuditEntries({ organisationId: tenant.id, limit: 10 })).toHaveLength(2);
});
