import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { describeCase } from '../../../src/domain/case.ts';
import { CliHarness } from '../../support/cli.ts';
import { pictureOf } from '../../support/images.ts';
import { buildCase } from '../../support/tenants.ts';

// The thumbnail is drawn in a process of its own, which compiles its sources first.
const timeout = 120_000;
const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

let cli: CliHarness;
let organisation: string;
let caseId: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  organisation = await cli.addOrganisation();
  const empty = buildCase([]);
  caseId = empty.case_id;
  await cli.withStore((store) => store.importCases(organisation, [empty]));
});
afterEach(() => cli.stop());

interface Expected {
  file_id: string;
  thumbnail_url: string;
}

const expectFile = (name = 'scan.pdf') => cli.json<Expected>(['file', 'expect', caseId, name]);
const shownCase = () => cli.json<ReturnType<typeof describeCase>>(['case', 'show', caseId]);
const fileCount = () => {
  const folder = join(cli.folder, 'data', 'document-analysis-uk-files');
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
};

describe('file expect', () => {
  test('creates a file that waits for its upload', async () => {
    const expected = await expectFile();
    const { files, file_analysis_status: status } = await shownCase();
    expect(status).toBe('waiting_for_file_analysis');
    expect(files).toEqual([
      {
        file_id: expected.file_id,
        label: 'scan.pdf',
        uploaded_at: '2026-03-02T12:00:00.000Z',
        thumbnail_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/thumbnails\/[0-9a-f]{40}\.webp$/),
        mime_type: 'application/octet-stream',
        analysis_status: 'waiting_for_upload',
        analysis_completed_at: null,
      },
    ]);
    expect(expected).toEqual({ case_id: caseId, ...files[0], analysis_completed_at: undefined });
  });

  test('tells people how to upload it', async () => {
    const { exitCode, stdout } = await cli.run(['file', 'expect', caseId.toUpperCase(), 'a\u001b.pdf']);
    const [id = ''] = (await shownCase()).files.map((file) => file.file_id);
    expect([exitCode, stdout]).toEqual([
      0,
      `The file ${id} (a\\u001b.pdf) of case ${caseId} is waiting for its content. Upload it with:\n` +
        `document-analysis file add --for ${id} PATH\n`,
    ]);
  });

  test.each([[''], ['x'.repeat(256)]])('refuses the name %j', async (name) => {
    expect(await cli.run(['file', 'expect', caseId, name])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('It must have 1 to 255 characters.'),
    });
  });

  test('refuses a locked case, and one that does not exist', async () => {
    await cli.run(['case', 'lock', caseId]);
    const { exitCode, stderr } = await cli.run(['file', 'expect', caseId, 'a.pdf']);
    expect([exitCode, stderr]).toEqual([
      1,
      `error: request.cases.case.already-locked: The case ${caseId} is locked.\n`,
    ]);
    expect((await cli.run(['file', 'expect', unknown, 'a.pdf'])).stderr).toMatch(/^error: There is no case .*\n$/);
    expect(await shownCase()).toMatchObject({ files: [] });
  });
});

describe('file add --for', () => {
  const addFor = (id: string, ...args: string[]) => cli.run(['file', 'add', '--for', id, ...args]);

  test(
    'uploads the content of a file, once',
    async () => {
      const { file_id: id, thumbnail_url: before } = await expectFile();
      const picture = pictureOf('image/png', 30, 20);
      const path = await cli.write('Picture.PNG', picture);
      const at = { now: new Date('2026-03-02T13:00:00.000Z') };
      const own = ['--organisation', organisation.toUpperCase()];
      const added = await cli.json(['file', 'add', '--for', id.toUpperCase(), path, ...own], at);
      expect(added).toMatchObject({
        case_id: caseId,
        files: [{ file_id: id, label: 'scan.pdf', bytes: picture.length }],
      });
      const shown = await shownCase();
      expect(shown).toMatchObject({
        total_files: 1,
        files: [
          {
            file_id: id,
            label: 'scan.pdf',
            uploaded_at: '2026-03-02T13:00:00.000Z',
            mime_type: 'image/png',
            analysis_status: 'waiting_for_analysis',
          },
        ],
      });
      expect(shown.files[0]?.thumbnail_url).not.toBe(before);
      const kept = fileCount();
      const { exitCode, stdout, stderr } = await addFor(id, path);
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(`The file ${id} is not waiting`)]);
      expect([await shownCase(), fileCount()]).toEqual([shown, kept]);
    },
    timeout,
  );

  test(
    'at once by two programs: one uploads it, and the other leaves no thumbnail',
    async () => {
      const { file_id: id } = await expectFile();
      const paths = [await cli.write('a.txt', 'a'), await cli.write('b.txt', 'b')];
      const outcomes = await Promise.all(paths.map((path) => addFor(id, path)));
      expect(outcomes.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
      expect(outcomes.map(({ stderr }) => stderr).join('')).toMatch(
        /^error: The file \S+ is not waiting for an upload\. Nothing was added\. .*\n$/,
      );
      const thumbnails = readdirSync(join(cli.folder, 'data', 'document-analysis-uk-files', 'thumbnails'));
      const [file] = (await shownCase()).files;
      expect(thumbnails).toEqual([file?.thumbnail_url.split('/').at(-1)]);
    },
    timeout,
  );

  test('refuses content that is not accepted, and the file waits on', async () => {
    const { file_id: id } = await expectFile();
    const before = await shownCase();
    const { exitCode, stderr } = await addFor(id, await cli.write('program', '\x7fELF\0'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Nothing was added: 1 file was not accepted:')]);
    expect(await shownCase()).toEqual(before);
  });

  test('refuses a file of another organisation, of a locked case, and one that does not exist', async () => {
    const { file_id: id } = await expectFile();
    const nothing = '/no/such/file';
    const other = await cli.addOrganisation('Other');
    expect((await addFor(id, nothing, '--organisation', other)).stderr).toBe(
      `error: The file ${id} does not belong to organisation ${other}. Nothing was added.\n`,
    );
    expect((await addFor(unknown, nothing)).stderr).toMatch(/^error: There is no file .*case show CASE\n$/);
    await cli.run(['case', 'lock', caseId]);
    const { exitCode, stderr } = await addFor(id, nothing);
    expect([exitCode, stderr]).toEqual([
      1,
      `error: request.cases.case.already-locked: The case ${caseId} is locked.\n`,
    ]);
    expect(fileCount()).toBe(0);
  });

  test.each([
    [['--for', unknown], '--for takes exactly one path'],
    [['--for', unknown, 'a.txt', 'b.txt'], '--for takes exactly one path'],
    [['--for', unknown, 'a.txt', '--label', 'x'], '--label cannot be used with --for'],
    [[unknown, 'a.txt', '--organisation', unknown], '--organisation can only be used with --for'],
    [[], "missing required argument 'case'"],
  ])('wrong usage: %j', async (args, message) => {
    const outcome = await cli.run(['file', 'add', ...args]);
    expect(outcome).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });
});
