import { existsSync, readdirSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CliHarness } from '../support/cli.js';
import { startProgram } from '../support/process.js';
import { buildCase } from '../support/tenants.js';

const patience = 120_000;

test(
  'a process that is killed while it adds files adds none, and a later one removes what it left',
  async () => {
    const cli = await CliHarness.start();
    const organisation = await cli.addOrganisation();
    const empty = buildCase([]);
    await cli.withStore((store) => store.importCases(organisation, [empty]));
    const paths = await Promise.all(['a', 'b', 'c'].map((name) => cli.write(`${name}.txt`, name)));
    const [dataDir, files] = [join(cli.folder, 'data'), join(cli.folder, 'data', 'document-analysis-uk-files')];
    const incoming = join(files, 'incoming');
    const left = () => (existsSync(incoming) ? readdirSync(incoming, { recursive: true }) : []);

    const program = startProgram(['file', 'add', empty.case_id, ...paths, '--data-dir', dataDir]);
    // The folder of the command, and the three files in it.
    while (left().length < 4) await sleep(5);
    program.child.kill('SIGKILL');
    expect(await program.ended).toBe('SIGKILL');

    expect(await cli.json(['case', 'show', empty.case_id])).toMatchObject({ total_files: 0, files: [] });
    const [name = ''] = readdirSync(incoming);
    const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
    await utimes(join(incoming, name), twoDaysAgo, twoDaysAgo);

    await cli.json(['file', 'add', empty.case_id, ...paths]);
    expect(left()).toEqual([]);
    expect(await cli.json(['case', 'show', empty.case_id])).toMatchObject({ total_files: 3 });
    await cli.stop();
  },
  patience,
);
