import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { openApiDocument } from '../../../src/domain/case-import.ts';
import { describeCase, type StoredCase } from '../../../src/domain/case.ts';
import { StagedCases } from '../../../src/store/staged-imports.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { buildCase } from '../../support/tenants.ts';

const cli = CliHarness.forEachTest();
let organisation: string;
beforeEach(async () => {
  organisation = await cli.addOrganisation();
});

async function add(added: StoredCase): Promise<StoredCase> {
  await cli.withStore((store) => store.importCases(organisation, [added]));
  return added;
}

test("case show gives machines the API's response, and people the case and its files", async () => {
  const added = await add(buildCase(['analysis_complete', 'analysing']));
  expect(await cli.json(`case show ${added.case_id.toUpperCase()}`)).toEqual(describeCase(added));
  const text = await cli.text(`case show ${added.case_id}`);
  for (const line of [
    /^FIELD +VALUE\n/,
    /^label +A case$/m,
    /^locked_at +-$/m,
    /^file_analysis_status +waiting_for_file_analysis$/m,
    /^metadata +{"reference":"1042"}$/m,
    /\n\n2 files:\nFILE +LABEL +TYPE +UPLOADED +STATUS +COMPLETED\n/,
    /^[0-9a-f-]{36} +file-0.pdf +application\/pdf +\S+Z +analysis_complete +\S+Z$/m,
    /^[0-9a-f-]{36} +file-1.pdf +application\/pdf +\S+Z +analysing +-$/m,
  ])
    expect(text).toMatch(line);
  const without = await cli.text(`case show ${(await add(buildCase([]))).case_id}`);
  expect(without).toMatch(/^total_files +0$/m);
  expect(without).not.toContain('FILE ');
});

test('case show does not let a label steer the terminal, in JSON either, where nothing of it is lost', async () => {
  const label = 'a\u001b[2J\n\u202eb\u009b2J\u007fc';
  const { case_id: id } = await add(buildCase([], { label }));
  expect(await cli.text(`case show ${id}`)).toContain('a\\u001b[2J\\u000a\\u202eb');
  const json = await cli.text(`case show ${id} --json`);
  expect(json).toContain('b\\u009b2J\\u007fc');
  expect(JSON.parse(json)).toMatchObject({ label });
});

test('case lock and unlock close and open a case; a locked one is refused with the error code of the document', async () => {
  const { case_id: id } = await add(buildCase([]));
  const locked = { is_locked: true, locked_at: '2026-03-02T12:00:00.000Z' };
  expect(await cli.json(`case lock ${id}`)).toMatchObject(locked);
  expect(await cli.json(`case unlock ${id}`)).toMatchObject({ is_locked: false, locked_at: null });
  expect(await cli.text(`case unlock ${id}`)).toBe(`Case ${id} is not locked.\n`);
  expect(await cli.text(`case lock ${id}`)).toBe(`Case ${id} is locked.\n`);
  const told = `error: request.cases.case.already-locked: The case ${id} is already locked.\n`;
  expect(await cli.fails(1, `case lock ${id}`, { now: new Date('2027-01-01T00:00:00.000Z') })).toBe(told);
  expect(await cli.json(`case show ${id}`)).toMatchObject(locked);
});

test('case list lists cases of one organisation or of all, the newest first, up to a limit', async () => {
  const old = await add(buildCase(['analysing'], { created_at: '2026-01-01T00:00:00.000Z' }));
  const recent = await add(buildCase([], { created_at: '2026-01-02T00:00:00.000Z', label: null }));
  expect(await cli.json(`case list --organisation ${organisation}`)).toMatchObject([
    { case_id: recent.case_id, total_files: 0 },
    { case_id: old.case_id, total_files: 1, organisation_id: organisation },
  ]);
  expect(await cli.json('case list --limit 1')).toMatchObject([{ case_id: recent.case_id }]);
  const text = await cli.text('case list');
  expect(text).toMatch(/^CASE +ORGANISATION +LABEL +CREATED +LOCKED +FILES\n/);
  expect(text).toMatch(new RegExp(`^${old.case_id} +${organisation} +A case +${old.created_at} +- +1$`, 'm'));
});

async function importing(content: string | Buffer, options?: CliOptions) {
  const file = await cli.write('cases.json', content);
  const outcome = await cli.run(`case import ${file} --organisation ${organisation}`, options);
  return { ...outcome, stderr: outcome.stderr.replaceAll(file, 'FILE') };
}

async function refused(content: string | Buffer | readonly unknown[], options?: CliOptions): Promise<string> {
  const given = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
  const { exitCode, stdout, stderr } = await importing(given, options);
  expect([exitCode, stdout]).toEqual([1, '']);
  return stderr;
}

const importInput = (stdin: CliOptions['stdin']) =>
  cli.fails(1, `case import - --organisation ${organisation}`, { stdin: stdin ?? '' });
const listed = () => cli.json<{ case_id: string }[]>('case list');

test('a program whose document has no case names what an import lacks, and runs its other commands', async () => {
  const { schemas = {} } = openApiDocument.components ?? {};
  const { Case: described = {} } = schemas;
  delete schemas['Case'];
  try {
    expect(await refused('[{ "created_at": "2026-03-02T09:15:00Z", "files": [] }]')).toBe(
      'error: Cases cannot be imported: openapi/openapi.yaml has no components/schemas/Case with properties, by which they are checked. ' +
        'Add it, run npm run generate, and build the program again.\n',
    );
    expect(await cli.text('case list')).toContain('No cases');
  } finally {
    schemas['Case'] = described;
  }
});

describe('case import', () => {
  test('imports cases with their files, behind a byte order mark and with members in any order', async () => {
    const states = [['waiting_for_upload', 'analysis_complete'], [], ['analysis_failed']];
    const cases = states.map((each) => buildCase(each));
    const described = cases.map(describeCase).map(({ files, ...record }) => ({ files, ...record }));
    expect(await importing(`\ufeff${JSON.stringify(described)}`)).toEqual({
      exitCode: 0,
      stdout: `Imported 3 cases with 3 files into organisation ${organisation}.\n`,
      stderr: '',
    });
    for (const imported of cases)
      expect(await cli.json(`case show ${imported.case_id}`)).toEqual(describeCase(imported));
  });

  test('reads the standard input, and tells machines the identifiers that it gave', async () => {
    const stdin = '[{ "created_at": "2026-03-02T09:15:00Z", "files": [] }]';
    const result = await cli.json(`case import - --organisation ${organisation.toUpperCase()}`, { stdin });
    const case_ids = (await listed()).map(({ case_id: id }) => id);
    expect(result).toEqual({ organisation_id: organisation, imported_cases: 1, imported_files: 0, case_ids });
  });

  test('takes to another region what `case show --json` prints', async () => {
    const shown = describeCase(buildCase(['analysis_complete'], { locked_at: '2026-03-02T11:00:00.000Z' }));
    await importing(JSON.stringify([shown]));
    const stdin = JSON.stringify([await cli.json(`case show ${shown.case_id}`)]);
    const { organisation_id: id } = await cli.json<{ organisation_id: string }>('organisation create A --region ca');
    await cli.json(`case import - --organisation ${id} --region ca`, { stdin });
    expect(await cli.json(`case show ${shown.case_id} --region ca`)).toEqual(shown);
  });

  test('shows each fault with its place, and imports nothing', async () => {
    const good = describeCase(buildCase(['waiting_for_upload']));
    const bad = { ...good, case_id: undefined, files: [{ ...good.files[0], file_id: undefined, uploaded_at: 'now' }] };
    expect(await refused([good, bad])).toBe(
      'error: Nothing was imported: FILE has 1 fault:\n[1].files[0].uploaded_at: must match format "date-time"\n',
    );
    expect(await listed()).toEqual([]);
  });

  test('shows twenty faults and counts the rest', async () => {
    const lines = (await refused(Array.from({ length: 23 }, () => 1))).trimEnd().split('\n');
    expect(lines).toHaveLength(22);
    const expected = ['error: Nothing was imported: FILE has 23 faults:', '[19]: must be object', '... and 3 more'];
    expect([lines[0], lines[20], lines[21]]).toEqual(expected);
  });

  test('refuses identifiers that are taken, with their place, and imports nothing', async () => {
    const first = buildCase(['waiting_for_upload']);
    await importing(JSON.stringify([first]));
    const told = await refused([buildCase([]), first]);
    expect(told).toBe(`error: [1].case_id: The identifier ${first.case_id} is taken. Nothing was imported.\n`);
    expect(await refused([buildCase([], { files: first.files })])).toContain('error: [0].files[0].file_id: ');
    expect(await listed()).toHaveLength(1);
  });

  test.each([
    [' \n', 'is empty. It must be a JSON array of cases.'],
    ['{}', 'is not a JSON array of cases.'],
    ['5', 'is not a JSON array of cases.'],
    ['[?]', 'is not valid JSON: Unexpected "?", line 1, column 2.'],
    ['[{"created_at": 1}', 'is not valid JSON: it ends before the array does.'],
    ['["a', 'is not valid JSON: it ends before the array does.'],
    ['[] []', 'is not valid JSON: Unexpected LEFT_BRACKET ("["), line 1, column 4.'],
    ['[\n  {"a": 1}\n  2]', 'is not valid JSON: Unexpected NUMBER (2), line 3, column 3.'],
    ['cases\nand files', 'is not valid JSON: Unexpected "c", line 1, column 1.'],
    [Buffer.from([0x5b, 0xff, 0x5d]), 'is not UTF-8 text.'],
  ])('refuses %j in one line', async (content, message) => {
    expect(await refused(content)).toBe(`error: FILE ${message}\n`);
  });

  test('names the standard input, and refuses a case that never ends before it takes up the memory', async () => {
    expect(await importInput('[1]')).toContain('the standard input has 1 fault');
    const part = Buffer.alloc(1024 * 1024, 'a');
    const told = await importInput([Buffer.from('[\n{"label":"'), ...Array<Buffer>(10).fill(part)]);
    expect(told).toBe('error: the standard input has a case or file of more than 8 MiB, up to line 2.\n');
  });

  test('refuses a file that is not there, and a folder', async () => {
    const run = (file: string) => cli.fails(1, ['case', 'import', file, '--organisation', organisation]);
    expect(await run('/no/such/file')).toBe('error: /no/such/file cannot be read: no such file.\n');
    expect(await run(cli.folder)).toBe(`error: ${cli.folder} cannot be read: it is a directory.\n`);
    await run('\0');
  });

  test('tells where space is missing when the temporary file cannot be written', async () => {
    const adding = jest.spyOn(StagedCases.prototype, 'addCase').mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    const told = await refused([describeCase(buildCase([]))]);
    adding.mockRestore();
    expect(told).toBe(
      'error: Nothing was imported: the temporary file cannot be written: database or disk is full. ' +
        'Free disk space, or set TMPDIR to another folder.\n',
    );
  });

  test('refuses what occurs twice in the file, with both places', async () => {
    const one = describeCase(buildCase(['waiting_for_upload', 'waiting_for_upload']));
    const two = { ...describeCase(buildCase(['waiting_for_upload'])), case_id: one.case_id.toUpperCase() };
    expect(await refused([one, { ...two, files: [one.files[1]] }])).toBe(
      `error: Nothing was imported: FILE has 2 faults:
[1].case_id: is the same as [0].case_id
[1].files[0].file_id: is the same as [0].files[1].file_id
`,
    );
    const twice = JSON.stringify([one]).replace('"files":', `"files":${JSON.stringify(two.files)},"files":`);
    expect(await refused(twice)).toContain('\n[0].files: is given twice\n');
    expect(await listed()).toEqual([]);
  });
});

test('the progress of an import is shown in a terminal if it is long, and removed when it is refused', async () => {
  const many = (files: number) => {
    const long = buildCase(Array.from({ length: files }, () => 'waiting_for_upload'));
    for (const file of long.files) file.uploaded_at = '2026-03-02T09:16:00.000Z';
    return JSON.stringify([long]);
  };
  const long = many(1001);
  const { stdout, stderr } = await importing(long, { terminal: true });
  expect(stderr).toMatch(/Importing \[[^]*1001\/1001 files/);
  expect(stdout).toBe(`Imported 1 case with 1001 files into organisation ${organisation}.\n`);
  const told = await refused(long, { terminal: true });
  expect(told).toMatch(/\u001b\[2K(error: .*)?/);
  expect(told).toMatch(/error: \[0\]\.case_id: .*\n$/);
  expect((await importing(many(1000), { terminal: true })).stderr).toBe('');
  expect((await importing(many(1001))).stderr).toBe('');
});
