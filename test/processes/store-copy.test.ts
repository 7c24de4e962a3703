import { expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { startNode, withDataDir } from '../support/process.ts';
import { addOrganisation, buildCase } from '../support/tenants.ts';

test('a store of thousands of rows is copied while what nothing uses any more is collected all the time', async () => {
  await withDataDir(async (dataDir) => {
    const [from, to] = [`${dataDir}/from.sqlite`, `${dataDir}/to.sqlite`];
    const store = openSqliteStore(from);
    const organisationId = await addOrganisation(store);
    await store.importCases(
      organisationId,
      Array.from({ length: 5000 }, () => buildCase([])),
    );
    await store.close();
    const flags = ['--gc-interval=20', '--gc-global'];
    const copy = startNode([
      ...flags,
      'src/main.ts',
      'store',
      'copy',
      '--from',
      `sqlite:${from}`,
      '--to',
      `sqlite:${to}`,
    ]);
    // SQLite's addon once aborted the process when the iterator of a table was collected.
    expect([await copy.ended, copy.stderr()]).toEqual([0, '']);
    expect(copy.stdout()).toMatch(/Copied 5\d{3} rows/);
  });
});
