/** A store for a pooler in transaction mode, on PostgreSQL itself; test/services/pooled*.test.ts have the pooler between. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { CliHarness } from '../support/cli.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { addOrganisation } from '../support/tenants.ts';

describeDatabase('a PostgreSQL store without settings of its own', (database) => {
  let cli: CliHarness;
  beforeEach(async () => {
    cli = await CliHarness.start();
  });
  afterEach(() => cli.stop());

  test('opens once its role has them, and is not ready when it has lost them', async () => {
    const url = await database.freshUrl();
    const location = { url, readUrl: url, poolSize: 2, pooled: true };
    await expect(openPostgresStore(location, 'uk')).rejects.toThrow('lock_timeout is 0, not 5000');
    const environment = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
    expect((await cli.run(['store', 'migrate'], { environment })).stdout).toMatch(
      /^\S+ has the settings that a server behind a pooler needs\.$/m,
    );
    const store = await openPostgresStore(location, 'uk');
    const id = await addOrganisation(store);
    expect(await store.listOrganisations()).toMatchObject([{ organisation_id: id }]);
    await store.check();
    await store.close();

    const later = await openPostgresStore(location, 'uk');
    const { username, pathname } = new URL(url);
    await database.query(`ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} RESET ALL`);
    await expect(later.check()).rejects.toThrow(
      /cannot be used through its pooler: .*statement_timeout is 0, not 10000/,
    );
    await later.close();
  });
});
