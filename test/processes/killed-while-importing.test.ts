import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { bulkFile, bulkFileLine, scatteredNumber } from '../support/bulk-file.ts';
import { CliHarness } from '../support/cli.ts';
import { startProgram } from '../support/process.ts';
import { until } from '../support/until.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const importing = async (...lines: string[]) =>
  cli.run(['registry', 'import', await cli.write('companies.csv', bulkFile(...lines))]);
const nameOf = (number: string) => cli.withStore(async (store) => (await store.findCompany(number))?.name);

test('an import killed in the middle leaves the former register, and the next one cleans up', async () => {
  const many = Array.from({ length: 60_000 }, (_, index) =>
    bulkFileLine(scatteredNumber(index), `COMPANY ${index} LTD`),
  );
  const file = await cli.write('many.csv', bulkFile(...many));
  const database = new Sqlite(cli.databasePath);
  try {
    const stored = database.prepare('SELECT count(*) AS rows, count(DISTINCT generation) AS n FROM registry_company');
    const generations = () => (stored.get() as { n: number }).n;
    // On a loaded machine it may have ended before it is killed.
    await until('an import is killed in the middle', async () => {
      await importing(bulkFileLine('01234567', 'ACME LTD'));
      const { child, ended } = startProgram(['registry', 'import', file], { DATA_DIR: `${cli.folder}/data` });
      await until('a part is stored', () => child.exitCode !== null || generations() > 1, 2);
      child.kill('SIGKILL');
      return (await ended) === 'SIGKILL' && generations() === 2;
    });
    // The lowest number of those that were being stored.
    expect([await nameOf('01234567'), await nameOf(scatteredNumber(0))]).toEqual(['ACME LTD', undefined]);
    await importing(bulkFileLine('SC123456', 'OTHER LTD'));
    expect(stored.get()).toEqual({ rows: 1, n: 1 });
    expect(database.prepare('SELECT state FROM company_register').all()).toEqual([{ state: 'current' }]);
  } finally {
    database.close();
  }
});
