import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { openApiDocument } from '../../../src/api/document.ts';
import { describeCase } from '../../../src/domain/case.ts';
import { StagedCases } from '../../../src/store/staging/staged-cases.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { buildCase } from '../../support/tenants.ts';

let cli: CliHarness;
let organisation: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  organisation = await cli.addOrganisation();
});
afterEach(() => cli.stop());

async function importing(content: string | Buffer, options?: CliOptions) {
  const file = await cli.write('cases.json', content);
  const outcome = await cli.run(['case', 'import', file, '--organisation', organisation], options);
  return { ...outcome, stderr: outcome.stderr.replaceAll(file, 'FILE') };
}

const listed = () => cli.json<{ case_id: string }[]>(['case', 'list']);

describe('a program whose document has no case', () => {
  const { schemas = {} } = openApiDocument.components ?? {};
  const { Case: described = {} } = schemas;
  beforeEach(() => {
    delete schemas['Case'];
  });
  afterEach(() => {
    schemas['Case'] = described;
  });

  test('names what an import lacks', async () => {
    const { exitCode, stderr } = await importing('[{ "created_at": "2026-03-02T09:15:00Z", "files": [] }]');
    expect([exitCode, stderr]).toEqual([
      1,
      'error: Cases cannot be imported: openapi/openapi.yaml has no components/schemas/Case with properties, by which they are checked. ' +
        'Add it, run npm run generate, and build the program again.\n',
    ]);
  });

  test('runs its other commands', async () => {
    expect(await cli.run(['case', 'list'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('case import', () => {
  test('imports cases with their files', async () => {
    const cases = [
      buildCase(['waiting_for_upload', 'analysis_complete']),
      buildCase([]),
      buildCase(['analysis_failed']),
    ];
    const { exitCode, stdout, stderr } = await importing(JSON.stringify(cases.map(describeCase)));
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Imported 3 cases with 3 files into organisation ${organisation}.\n`);
    for (const imported of cases)
      expect(await cli.json(['case', 'show', imported.case_id])).toEqual(describeCase(imported));
  });

  test('reads the standard input, and tells machines the identifiers that it gave', async () => {
    const stdin = '[{ "created_at": "2026-03-02T09:15:00Z", "files": [] }]';
    const result = await cli.json(['case', 'import', '-', '--organisation', organisation.toUpperCase()], { stdin });
    expect(result).toEqual({
      organisation_id: organisation,
      imported_cases: 1,
      imported_files: 0,
      case_ids: (await listed()).map(({ case_id: id }) => id),
    });
  });

  test('takes to another region what `case show --json` prints', async () => {
    const shown = describeCase(buildCase(['analysis_complete'], { locked_at: '2026-03-02T11:00:00.000Z' }));
    await importing(JSON.stringify([shown]));
    const printed = await cli.json(['case', 'show', shown.case_id]);
    const region = ['--region', 'ca'];
    const { organisation_id: id } = await cli.json<{ organisation_id: string }>([
      'organisation',
      'create',
      'A',
      ...region,
    ]);
    const stdin = JSON.stringify([printed]);
    await cli.json(['case', 'import', '-', '--organisation', id, ...region], { stdin });
    expect(await cli.json(['case', 'show', shown.case_id, ...region])).toEqual(shown);
  });

  test('accepts a byte order mark', async () => {
    expect(await importing('\ufeff[]')).toMatchObject({ exitCode: 0 });
  });

  test('shows each fault with its place, and imports nothing', async () => {
    const good = describeCase(buildCase(['waiting_for_upload']));
    const bad = { ...good, case_id: undefined, files: [{ ...good.files[0], file_id: undefined, uploaded_at: 'now' }] };
    const { exitCode, stdout, stderr } = await importing(JSON.stringify([good, bad]));
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'error: Nothing was imported: FILE has 1 fault:\n[1].files[0].uploaded_at: must match format "date-time"\n',
    );
    expect(await listed()).toEqual([]);
  });

  test('shows twenty faults and counts the rest', async () => {
    const { stderr } = await importing(JSON.stringify(Array.from({ length: 23 }, () => 1)));
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe('error: Nothing was imported: FILE has 23 faults:');
    expect(lines[20]).toBe('[19]: must be object');
    expect(lines[21]).toBe('... and 3 more');
  });

  test('names the standard input', async () => {
    const { stderr } = await cli.run(['case', 'import', '-', '--organisation', organisation], { stdin: '[1]' });
    expect(stderr).toContain('the standard input has 1 fault');
  });

  test('refuses identifiers that are taken, with their place, and imports nothing', async () => {
    const first = buildCase(['waiting_for_upload']);
    await importing(JSON.stringify([first]));
    const again = await importing(JSON.stringify([buildCase([]), first]));
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      `error: [1].case_id: The identifier ${first.case_id} is taken. Nothing was imported.\n`,
    ]);
    const file = await importing(JSON.stringify([buildCase([], { files: first.files })]));
    expect(file.stderr).toContain('error: [0].files[0].file_id: The identifier ');
    expect(await listed()).toHaveLength(1);
  });

  test.each([
    ['an empty file', ' \n', 'FILE is empty. It must be a JSON array of cases.'],
    ['an object', '{}', 'FILE is not a JSON array of cases.'],
    ['a JSON error at its start', '[?]', 'FILE is not valid JSON: Unexpected "?", line 1, column 2.'],
    ['an array that does not end', '[{"created_at": 1}', 'FILE is not valid JSON: it ends before the array does.'],
    ['a text that does not end', '["a', 'FILE is not valid JSON: it ends before the array does.'],
    ['a number', '5', 'FILE is not a JSON array of cases.'],
    ['more than an array', '[] []', 'FILE is not valid JSON: Unexpected LEFT_BRACKET ("["), line 1, column 4.'],
    ['a JSON error', '[\n  {"a": 1}\n  2]', 'FILE is not valid JSON: Unexpected NUMBER (2), line 3, column 3.'],
    ['text', 'cases\nand files', 'FILE is not valid JSON: Unexpected "c", line 1, column 1.'],
    ['bytes that are no text', Buffer.from([0x5b, 0xff, 0x5d]), 'FILE is not UTF-8 text.'],
  ])('refuses %s in one line', async (_, content, message) => {
    const { exitCode, stdout, stderr } = await importing(content);
    expect([exitCode, stdout]).toEqual([1, '']);
    if (typeof message === 'string') expect(stderr).toBe(`error: ${message}\n`);
    else expect(stderr).toMatch(message);
  });

  test('refuses a file that is not there, and a folder', async () => {
    const run = (file: string) => cli.run(['case', 'import', file, '--organisation', organisation]);
    expect(await run('/no/such/file')).toMatchObject({
      exitCode: 1,
      stderr: 'error: /no/such/file cannot be read: no such file.\n',
    });
    expect(await run(cli.folder)).toMatchObject({
      exitCode: 1,
      stderr: `error: ${cli.folder} cannot be read: it is a directory.\n`,
    });
    expect(await run('\0')).toMatchObject({ exitCode: 1 });
  });

  test('tells where space is missing when the temporary file cannot be written', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const adding = jest.spyOn(StagedCases.prototype, 'addCase').mockImplementation(() => {
      throw full;
    });
    const { exitCode, stderr } = await importing(JSON.stringify([describeCase(buildCase([]))]));
    adding.mockRestore();
    expect([exitCode, stderr]).toEqual([
      1,
      'error: Nothing was imported: the temporary file cannot be written: database or disk is full. ' +
        'Free disk space, or set TMPDIR to another folder.\n',
    ]);
  });

  test('refuses a case that never ends before it takes up the memory', async () => {
    const part = Buffer.alloc(1024 * 1024, '[');
    const stdin = [Buffer.from('[\n'), ...Array.from({ length: 10 }, () => part)];
    expect(await cli.run(['case', 'import', '-', '--organisation', organisation], { stdin })).toMatchObject({
      exitCode: 1,
      stderr: 'error: the standard input has a case or file of more than 8 MiB, up to line 2.\n',
    });
  });

  test('refuses what occurs twice in the file, with both places', async () => {
    const one = describeCase(buildCase(['waiting_for_upload', 'waiting_for_upload']));
    const two = { ...describeCase(buildCase(['waiting_for_upload'])), case_id: one.case_id.toUpperCase() };
    const content = JSON.stringify([one, { ...two, files: [one.files[1]] }]);
    expect((await importing(content)).stderr).toBe(
      `error: Nothing was imported: FILE has 2 faults:
[1].case_id: is the same as [0].case_id
[1].files[0].file_id: is the same as [0].files[1].file_id
`,
    );
    const twice = JSON.stringify([one]).replace('"files":', `"files":${JSON.stringify(two.files)},"files":`);
    expect((await importing(twice)).stderr).toContain('\n[0].files: is given twice\n');
    expect(await listed()).toEqual([]);
  });

  test('reads members in any order', async () => {
    const { files, ...record } = describeCase(buildCase(['waiting_for_upload', 'analysis_complete']));
    expect(await importing(JSON.stringify([{ files, ...record }]))).toMatchObject({ exitCode: 0 });
    expect(await cli.json(['case', 'show', record.case_id])).toEqual({ ...record, files });
  });

  test('needs an organisation, which must exist', async () => {
    expect(await cli.run(['case', 'import', '-'])).toMatchObject({ exitCode: 2 });
    const unknown = await cli.run(['case', 'import', '-', '--organisation', 'nobody'], { stdin: '[]' });
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('organisation list')]);
  });
});

describe('the progress of an import', () => {
  const many = (files: number) => {
    const long = buildCase(Array.from({ length: files }, () => 'waiting_for_upload'));
    for (const file of long.files) file.uploaded_at = '2026-03-02T09:16:00.000Z';
    return JSON.stringify([long]);
  };

  test('is shown in a terminal if the import is long', async () => {
    const { exitCode, stdout, stderr } = await importing(many(1001), { terminal: true });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Importing [');
    expect(stderr).toContain('1001/1001 files');
    expect(stdout).toBe(`Imported 1 case with 1001 files into organisation ${organisation}.\n`);
  });

  test('is removed when the import is refused', async () => {
    const content = many(1001);
    await importing(content);
    const { exitCode, stderr } = await importing(content, { terminal: true });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\u001b\[2K(error: .*)?/);
    expect(stderr).toMatch(/error: \[0\]\.case_id: .*\n$/);
  });

  test('is not shown for a short import, nor where nobody watches', async () => {
    expect((await importing(many(1000), { terminal: true })).stderr).toBe('');
    expect((await importing(many(1001))).stderr).toBe('');
  });
});
