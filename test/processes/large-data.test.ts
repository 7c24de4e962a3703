import { expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { CliHarness } from '../support/cli.ts';
import { startNode } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addOrganisation, buildCase } from '../support/tenants.ts';

test('a case of any size is imported in little memory', async () => {
  const cli = await CliHarness.start();
  const organisation = await cli.addOrganisation();
  const { files, ...record } = buildCase(['waiting_for_upload']);
  // Its JSON alone takes more than 10 MB.
  const many = Array.from({ length: 60_000 }, () => JSON.stringify({ ...files[0], file_id: undefined })).join();
  const path = await cli.write('large.json', `[${JSON.stringify(record).slice(0, -1)},"files":[${many}]}]`);
  // The heap of a process that held the case would need 40 MB and more.
  const program = startNode(
    ['--max-old-space-size=28', 'src/main.ts', 'case', 'import', path, '--organisation', organisation],
    { DATA_DIR: `${cli.folder}/data` },
  );
  expect([await program.ended, program.stderr()]).toEqual([0, '']);
  expect(program.stdout()).toContain('Imported 1 case with 60000 files');
  const [imported] = await cli.json<object[]>(['case', 'list']);
  expect(imported).toMatchObject({ case_id: record.case_id, total_files: 60_000 });
});

test('a store of thousands of rows is copied while what nothing uses any more is collected all the time', async () => {
  const dataDir = await makeTemporaryFolder();
  const [from, to] = [`${dataDir}/from.sqlite`, `${dataDir}/to.sqlite`];
  const store = openSqliteStore(from);
  const organisationId = await addOrganisation(store);
  await store.importCases(
    organisationId,
    Array.from({ length: 5000 }, () => buildCase([])),
  );
  await store.close();
  const command = ['src/main.ts', 'store', 'copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`];
  const copy = startNode(['--gc-interval=20', '--gc-global', ...command]);
  // SQLite's addon once aborted the process when the iterator of a table was collected.
  expect([await copy.ended, copy.stderr()]).toEqual([0, '']);
  expect(copy.stdout()).toMatch(/Copied 5\d{3} rows/);
});
