import { existsSync, readdirSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CliHarness } from '../support/cli.ts';
import { startProgram } from '../support/process.ts';
import { buildCase } from '../support/tenants.ts';

const patience = 120_000;

/** Starts to add three files, and gives the process when it has copied them and not yet drawn them all. */
async function addThree(cli: CliHarness) {
  const organisation = await cli.addOrganisation();
  const { case_id: caseId, ...empty } = buildCase([]);
  await cli.withStore((store) => store.importCases(organisation, [{ case_id: caseId, ...empty }]));
  const paths = await Promise.all(['a', 'b', 'c'].map((name) => cli.write(`${name}.txt`, name)));
  const incoming = join(cli.folder, 'data', 'document-analysis-uk-files', 'incoming');
  const left = () => (existsSync(incoming) ? readdirSync(incoming, { recursive: true }) : []);
  const program = startProgram(['file', 'add', caseId, ...paths, '--data-dir', join(cli.folder, 'data')]);
  // The folder of the command, and the three files in it.
  while (left().length < 4) await sleep(5);
  return { program, caseId, paths, incoming, left };
}

test(
  'a process that is killed while it adds files adds none, and a later one removes what it left',
  async () => {
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
  },
  patience,
);

test(
  'a process that is told to stop while it adds files adds none, and leaves nothing',
  async () => {
    const cli = await CliHarness.start();
    const { program, caseId, left } = await addThree(cli);
    program.child.kill('SIGINT');
    expect([await program.ended, program.stderr()]).toEqual([1, 'error: It was stopped. Nothing is added.\n']);
    expect(await cli.json(['case', 'show', caseId])).toMatchObject({ total_files: 0 });
    expect(left()).toEqual([]);
    await cli.stop();
  },
  patience,
);
