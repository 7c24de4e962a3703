/** Commands and servers that are killed in the middle, and what the next one finds. */
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import type { Outcome } from '../fault-injection/scenario.ts';
import { DatabaseFile } from '../../src/store/sqlite/database-file.ts';
import { bulkFile, bulkFileLine, scatteredNumber } from '../support/bulk-file.ts';
import { CliHarness } from '../support/cli.ts';
import { hostilePdfs } from '../support/write-pdf.ts';
import { startNode, startProgram } from '../support/process.ts';
import { addCase } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const cli = CliHarness.forEachTest();

/** Starts to add three files and one that takes long to draw, and gives the process when it has copied them. */
async function addThree() {
  const organisation = await cli.addOrganisation();
  const caseId = await cli.withStore((store) => addCase(store, organisation));
  const paths = await Promise.all(['a', 'b', 'c'].map((name) => cli.write(`${name}.txt`, name)));
  const incoming = join(cli.folder, 'data', 'document-analysis-uk-files', 'incoming');
  const left = () => (existsSync(incoming) ? readdirSync(incoming, { recursive: true }) : []);
  const slow = await cli.write('slow.pdf', hostilePdfs['a thousand million forms']());
  const program = startProgram(['file', 'add', caseId, slow, ...paths, '--data-dir', join(cli.folder, 'data')]);
  await until('the folder of the command, and the four files in it', () => left().length >= 5, 5);
  return { program, caseId, paths, incoming, left };
}

test('a process that is killed while it adds files adds none, and a later one removes what it left', async () => {
  const { program, caseId, paths, incoming, left } = await addThree();
  program.child.kill('SIGKILL');
  expect(await program.ended).toBe('SIGKILL');

  expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 0, files: [] });
  const [name = ''] = readdirSync(incoming);
  utimesSync(join(incoming, name), new Date(0), new Date(0));

  await cli.json(['file', 'add', caseId, ...paths]);
  expect(left()).toEqual([]);
  expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 3 });
});

test('a process that is told to stop while it adds files adds none, and leaves nothing', async () => {
  const { program, caseId, left } = await addThree();
  program.child.kill('SIGINT');
  expect([await program.ended, program.stderr()]).toEqual([1, 'error: Stopped. Nothing was added.\n']);
  expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 0 });
  expect(left()).toEqual([]);
});

const importing = async (...lines: string[]) =>
  cli.run(['registry', 'import', await cli.write('companies.csv', bulkFile(...lines))]);
const nameOf = (number: string) => cli.withStore(async (store) => (await store.findCompany(number))?.name);

test('an import killed in the middle leaves the former register, and the next one cleans up', async () => {
  const many = Array.from({ length: 60_000 }, (_, index) =>
    bulkFileLine(scatteredNumber(index), `COMPANY ${index} LTD`),
  );
  const file = await cli.write('many.csv', bulkFile(...many));
  const database = new Sqlite(cli.databasePath);
  const stored = database.prepare('SELECT count(*) AS rows, count(DISTINCT generation) AS n FROM registry_company');
  // Else an import that ends here releases this reader's locks, too, and another process cuts the index that it has mapped.
  const held = new DatabaseFile(cli.databasePath);
  try {
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
    held.close();
  }
});

test('every update that was confirmed is kept, and none is half done, when the server is killed or hostile clients come', async () => {
  const json = join(cli.folder, 'result.json');
  const options = ['--only', '^(killed-.*|hostile-sqlite)$', '--rounds', '3', '--json', json];
  const run = startNode(['test/fault-injection/main.ts', ...options], { TEST_PROGRAM: 'src/main.ts' });
  expect([await run.ended, run.stderr()]).toEqual([0, expect.not.stringContaining('rror')]);
  const { scenarios } = JSON.parse(readFileSync(json, 'utf8')) as { scenarios: Outcome[] };
  expect(scenarios.map(({ name }) => name)).toEqual(['killed-sqlite', 'killed-postgres', 'hostile-sqlite']);
  const updates = scenarios.flatMap(({ missing, figures }) => (missing === undefined ? [figures?.updates ?? 0] : []));
  expect(Math.min(...updates)).toBeGreaterThanOrEqual(3);
});
