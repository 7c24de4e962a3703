import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeCase, type StoredCase } from '../../../src/domain/case.ts';
import { CliHarness } from '../../support/cli.ts';
import { buildCase } from '../../support/tenants.ts';

let cli: CliHarness;
let organisation: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  organisation = await cli.addOrganisation();
});
afterEach(() => cli.stop());

const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

async function add(added: StoredCase): Promise<StoredCase> {
  await cli.withStore((store) => store.importCases(organisation, [added]));
  return added;
}

describe('case show', () => {
  test("gives machines the API's response", async () => {
    const added = await add(buildCase(['analysis_complete', 'analysing']));
    expect(await cli.json(['case', 'show', added.case_id.toUpperCase()])).toEqual(describeCase(added));
  });

  test('shows people the case and its files', async () => {
    const added = await add(buildCase(['analysis_complete', 'analysing']));
    const { stdout } = await cli.run(['case', 'show', added.case_id]);
    expect(stdout).toMatch(/^label +A case$/m);
    expect(stdout).toMatch(/^locked_at +-$/m);
    expect(stdout).toMatch(/^file_analysis_status +waiting_for_file_analysis$/m);
    expect(stdout).toMatch(/^metadata +{"reference":"1042"}$/m);
    expect(stdout).toMatch(/^FIELD +VALUE\n/);
    expect(stdout).toMatch(/\n\n2 files:\nFILE +LABEL +TYPE +UPLOADED +STATUS +COMPLETED\n/);
    expect(stdout).toMatch(/^[0-9a-f-]{36} +file-0.pdf +application\/pdf +\S+Z +analysis_complete +\S+Z$/m);
    expect(stdout).toMatch(/^[0-9a-f-]{36} +file-1.pdf +application\/pdf +\S+Z +analysing +-$/m);
  });

  test('shows a case without files', async () => {
    const { stdout } = await cli.run(['case', 'show', (await add(buildCase([]))).case_id]);
    expect(stdout).toMatch(/^total_files +0$/m);
    expect(stdout).not.toContain('FILE ');
  });

  test('does not let a label steer the terminal', async () => {
    const { stdout } = await cli.run([
      'case',
      'show',
      (await add(buildCase([], { label: 'a\u001b[2J\n\u202eb' }))).case_id,
    ]);
    expect(stdout).toContain('a\\u001b[2J\\u000a\\u202eb');
  });

  test('does not let a label steer the terminal in JSON either, and loses nothing of it', async () => {
    const label = 'a\u009b2J\u007fb';
    const { case_id: id } = await add(buildCase([], { label }));
    const { stdout } = await cli.run(['case', 'show', id, '--json']);
    expect(stdout).toContain('a\\u009b2J\\u007fb');
    expect(JSON.parse(stdout)).toMatchObject({ label });
  });
});

describe('case lock and unlock', () => {
  test('close and open a case', async () => {
    const { case_id: id } = await add(buildCase([]));
    expect(await cli.json(['case', 'lock', id])).toMatchObject({
      is_locked: true,
      locked_at: '2026-03-02T12:00:00.000Z',
    });
    expect(await cli.json(['case', 'unlock', id])).toMatchObject({ is_locked: false, locked_at: null });
    expect((await cli.run(['case', 'unlock', id])).stdout).toBe(`Case ${id} is not locked.\n`);
    expect((await cli.run(['case', 'lock', id])).stdout).toBe(`Case ${id} is locked.\n`);
  });

  test('a locked case is refused with the error code of the document', async () => {
    const { case_id: id } = await add(buildCase([], { locked_at: '2026-03-02T11:00:00.000Z' }));
    const { exitCode, stdout, stderr } = await cli.run(['case', 'lock', id]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`error: request.cases.case.already-locked: The case ${id} is already locked.\n`);
    expect(await cli.json(['case', 'show', id])).toMatchObject({ locked_at: '2026-03-02T11:00:00.000Z' });
  });
});

test.each(['show', 'lock', 'unlock'])(
  'case %s refuses an unknown case and says how to list those that exist',
  async (name) => {
    const { exitCode, stderr } = await cli.run(['case', name, unknown]);
    expect([exitCode, stderr]).toEqual([
      1,
      `error: There is no case ${unknown}. To see what exists: document-analysis case list\n`,
    ]);
  },
);

describe('case list', () => {
  test('lists cases of one organisation or of all, the newest first, up to a limit', async () => {
    const old = await add(buildCase(['analysing'], { created_at: '2026-01-01T00:00:00.000Z' }));
    const recent = await add(buildCase([], { created_at: '2026-01-02T00:00:00.000Z', label: null }));
    expect(await cli.json(['case', 'list', '--organisation', organisation])).toMatchObject([
      { case_id: recent.case_id, total_files: 0 },
      { case_id: old.case_id, total_files: 1, organisation_id: organisation },
    ]);
    expect(await cli.json(['case', 'list', '--limit', '1'])).toMatchObject([{ case_id: recent.case_id }]);
    const { stdout } = await cli.run(['case', 'list']);
    expect(stdout).toMatch(/^CASE +ORGANISATION +LABEL +CREATED +LOCKED +FILES\n/);
    expect(stdout).toMatch(new RegExp(`^${old.case_id} +${organisation} +A case +${old.created_at} +- +1$`, 'm'));
  });

  test('says where it looked if there is none', async () => {
    expect((await cli.run(['case', 'list'])).stdout).toBe(
      `No cases in ${cli.databasePath}. Import some: document-analysis case import --help\n`,
    );
  });

  test('refuses an unknown organisation', async () => {
    expect(await cli.run(['case', 'list', '--organisation', unknown])).toMatchObject({ exitCode: 1, stdout: '' });
  });
});
