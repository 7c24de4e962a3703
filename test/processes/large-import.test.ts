import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CliHarness } from '../support/cli.ts';
import { startNode } from '../support/process.ts';
import { buildCase } from '../support/tenants.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

/** A case of 60,000 files, whose JSON alone takes more than 10 MB. */
async function largeCase() {
  const { files, ...record } = buildCase(['waiting_for_upload']);
  const many = Array.from({ length: 60_000 }, () => JSON.stringify({ ...files[0], file_id: undefined })).join();
  const text = `[${JSON.stringify(record).slice(0, -1)},"files":[${many}]}]`;
  return { caseId: record.case_id, path: await cli.write('large.json', text) };
}

test('a case of any size is imported in little memory', async () => {
  const organisation = await cli.addOrganisation();
  const { caseId, path } = await largeCase();
  // The heap of a process that held the case would need 40 MB and more.
  const program = startNode(
    ['--max-old-space-size=28', 'src/main.ts', 'case', 'import', path, '--organisation', organisation],
    { DATA_DIR: `${cli.folder}/data` },
  );
  expect([await program.ended, program.stderr()]).toEqual([0, '']);
  expect(program.stdout()).toContain('Imported 1 case with 60000 files');
  const [imported] = await cli.json<object[]>(['case', 'list']);
  expect(imported).toMatchObject({ case_id: caseId, total_files: 60_000 });
});
