import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { bulkFile, bulkFileLine, scatteredNumber } from '../support/bulk-file.ts';
import { CliHarness } from '../support/cli.ts';
import { startProgram } from '../support/process.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const importing = async (...lines: string[]) =>
  cli.run(['registry', 'import', await cli.write('companies.csv', bulkFile(...lines))]);
const nameOf = (number: string) => cli.withStore(async (store) => (await store.findCompany(number))?.name);

test('an import killed in the middle leaves the former register, and the next one cleans up', async () => {
  await importing(bulkFileLine('01234567', 'ACME LTD'));
  const many = Array.from({ length: 60_000 }, (_, index) =>
    bulkFileLine(scatteredNumber(index), `COMPANY ${index} LTD`),
  );
  const file = await cli.write('many.csv', bulkFile(...many));
  const killed = startProgram(['registry', 'import', file], { DATA_DIR: `${cli.folder}/data` });
  const database = new Sqlite(cli.databasePath);
  try {
    const stored = database.prepare('SELECT count(*) AS rows, count(DISTINCT generation) AS n FROM registry_company');
    for (;;) {
      if ((stored.get() as { n: number }).n > 1) break;
      if (killed.child.exitCode !== null) throw new Error(`it ended: ${killed.stdout()}${killed.stderr()}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    killed.child.kill('SIGKILL');
    await once(killed.child, 'close');
    expect(stored.get()).toMatchObject({ n: 2 });
    // The lowest number of those that were being stored.
    expect([await nameOf('01234567'), await nameOf(scatteredNumber(0))]).toEqual(['ACME LTD', undefined]);
    await importing(bulkFileLine('SC123456', 'OTHER LTD'));
    expect(stored.get()).toEqual({ rows: 1, n: 1 });
    expect(database.prepare('SELECT state FROM company_register').all()).toEqual([{ state: 'current' }]);
  } finally {
    database.close();
  }
});
