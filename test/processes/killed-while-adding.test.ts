import { existsSync, readdirSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CliHarness } from '../support/cli.ts';
import { hostilePdfs } from '../support/hostile-pdfs.ts';
import { startProgram } from '../support/process.ts';
import { buildCase } from '../support/tenants.ts';
import { until } from '../support/until.ts';

/** Starts to add three files and one that takes long to draw, and gives the process when it has copied them. */
async function addThree(cli: CliHarness) {
  const organisation = await cli.addOrganisation();
  const { case_id: caseId, ...empty } = buildCase([]);
  await cli.withStore((store) => store.importCases(organisation, [{ case_id: caseId, ...empty }]));
  const paths = await Promise.all(['a', 'b', 'c'].map((name) => cli.write(`${name}.txt`, name)));
  const incoming = join(cli.folder, 'data', 'document-analysis-uk-files', 'incoming');
  const left = () => (existsSync(incoming) ? readdirSync(incoming, { recursive: true }) : []);
  const slow = await cli.write('slow.pdf', hostilePdfs['a thousand million forms']());
  const program = startProgram(['file', 'add', caseId, slow, ...paths, '--data-dir', join(cli.folder, 'data')]);
  await until('the folder of the command, and the four files in it', () => left().length >= 5, 5);
  return { program, caseId, paths, incoming, left };
}

test('a process that is killed while it adds files adds none, and a later one removes what it left', async () => {
  const cli = await CliHarness.start();
  const { program, caseId, paths, incoming, left } = await addThree(cli);
  program.child.kill('SIGKILL');
  expect(await program.ended).toBe('SIGKILL');

  expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 0, files: [] });
  const [name = ''] = readdirSync(incoming);
  const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
  await utimes(join(incoming, name), twoDaysAgo, twoDaysAgo);

  await cli.json(['file', 'add', caseId, ...paths]);
  expect(left()).toEqual([]);
  expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 3 });
  await cli.stop();
});

test('a process that is told to stop while it adds files adds none, and leaves nothing', async () => {
  const cli = await CliHarness.start();
  const { program, caseId, left } = await addThree(cli);
  program.child.kill('SIGINT');
  expect([await program.ended, program.stderr()]).toEqual([1, 'error: Stopped. Nothing was added.\n']);
  expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 0 });
  expect(left()).toEqual([]);
  await cli.stop();
});
