import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { describeCase } from '../../../src/domain/case.ts';
import { unknown } from '../../store/conformance/fixtures.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { pictureOf, pngBomb } from '../../support/images.ts';
import { addStoredFiles, readTree, storeContent } from '../../support/region-files.ts';
import { addFiles } from '../../../src/files/add-files.ts';
import type { Store } from '../../../src/store/store.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { buildCase } from '../../support/tenants.ts';

type ShownCase = ReturnType<typeof describeCase>;
type AddedFile = ShownCase['files'][number] & { content_sha256: string };

const cli = CliHarness.forEachTest();
let organisation: string;
let caseId: string;
let folder: string;
beforeEach(async () => {
  organisation = await cli.addOrganisation();
  const empty = buildCase([]);
  caseId = empty.case_id;
  folder = join(cli.folder, 'data', 'document-analysis-uk-files');
  await cli.withStore((store) => store.importCases(organisation, [empty]));
});

const shownCase = () => cli.json<ShownCase>(`case show ${caseId}`);
const kept = async (part = '') => [...(await readTree(join(folder, part))).keys()];
const withoutFolder = (text: string) => text.replaceAll(`${cli.folder}/`, '');
const picture = pictureOf('image/png', 30, 20);
const thumbnailUrl = 'http://127\\.0\\.0\\.1:8080/thumbnails/([0-9a-f]{40}\\.webp)';
const isLocked = () => `error: request.cases.case.already-locked: The case ${caseId} is locked.\n`;

test('file add adds files that wait for their analysis, with their content and a thumbnail that the server has', async () => {
  const paths = [await cli.write('scan.pdf', picture), await cli.write('letter', 'Company number 01234567\n')];
  const added = await cli.json<{ files: AddedFile[] }>(`file add ${caseId.toUpperCase()} ${paths.join(' ')}`);
  expect(added).toMatchObject({
    case_id: caseId,
    files: [
      { label: 'scan.pdf', mime_type: 'image/png', bytes: picture.length, generic_thumbnail: false },
      { label: 'letter', mime_type: 'text/plain', bytes: 24, generic_thumbnail: false },
    ],
  });
  const shown = await shownCase();
  expect(shown.total_files).toBe(2);
  const contents = await readTree(join(folder, 'content'));
  for (const { content_sha256: hash, ...file } of added.files) {
    const waiting = { analysis_status: 'waiting_for_analysis', analysis_completed_at: null };
    const found = shown.files.find(({ file_id: id }) => id === file.file_id);
    expect({ ...file, ...waiting }).toMatchObject(found ?? { file_id: 'none' });
    const [, name = 'none'] = new RegExp(`^${thumbnailUrl}$`).exec(file.thumbnail_url) ?? [];
    expect((await kept('thumbnails')).filter((path) => path.endsWith(name))).toHaveLength(1);
    const [, content = ''] = [...contents].find(([path]) => path.endsWith(hash)) ?? [];
    expect(createHash('sha256').update(content, 'hex').digest('hex')).toBe(hash);
  }
  expect(await kept('incoming')).toEqual([]);
  const analysis = await cli.withStore((store) => store.readAnalysis(added.files[0]?.file_id ?? ''));
  expect(Buffer.from(analysis.content_sha256 ?? []).toString('hex')).toBe(added.files[0]?.content_sha256);
});

test('file add tells people what was added, and whose content could not be drawn', async () => {
  const bomb = await cli.write('bomb.png', pngBomb(50_000, 50_000));
  const row = `[0-9a-f-]{36} +bomb\\.png +image/png +\\d+ +${thumbnailUrl}`;
  const note = 'The content of 1 file could not be drawn, so the thumbnail only shows the media type\\.';
  const told = `Added 1 file to case ${caseId}:\nFILE +LABEL +TYPE +BYTES +THUMBNAIL\n${row}\n\n${note}\n`;
  expect(await cli.text(`file add ${caseId} ${bomb}`)).toMatch(new RegExp(`^${told}$`));
  expect(await shownCase()).toMatchObject({ total_files: 1 });
});

test('file add gives a file the label that is asked for, else its own name without what could steer a terminal, and shows its progress there', async () => {
  const path = await cli.write('a\u001b[2J\u202efdp.txt', 'text');
  await cli.text(['file', 'add', caseId, path, '--label', 'Certificate of incorporation']);
  const environment = { THUMBNAIL_BASE_URL: 'https://files.example/uk/' };
  const long = `${'é'.repeat(100)}.txt`;
  await cli.text(['file', 'add', caseId, await cli.write(long, 'text')], { environment });
  const { stderr } = await cli.run(['file', 'add', caseId, path, path], { terminal: true });
  expect(stderr).toMatch(/Adding \[[^]*2\/2 files/);
  const { files } = await shownCase();
  const own = 'a[2Jfdp.txt';
  expect(files.map((file) => file.label).sort()).toEqual(['Certificate of incorporation', own, own, long]);
  const elsewhere = files.filter((file) => file.thumbnail_url.startsWith('https://files.example/uk/thumbnails/'));
  expect([elsewhere.length, (await kept('content')).length]).toEqual([1, 1]);
});

test('file add refuses all files if one is not accepted, naming each that is not', async () => {
  const paths = [
    await cli.write('good.txt', 'text'),
    await cli.write('program.txt', '\x7fELF\0'),
    await cli.write('large.txt', 'a'.repeat(101)),
    join(cli.folder, 'nothing\nAdded 1 file'),
  ];
  const told = await cli.fails(1, ['file', 'add', caseId, ...paths], { environment: { MAX_FILE_BYTES: '100' } });
  expect(withoutFolder(told)).toBe(
    'error: Nothing was added: 3 files were not accepted:\n' +
      'program.txt: its content is none of these: PDF, PNG, JPEG, WebP, plain text in UTF-8.\n' +
      'large.txt: it is larger than 100 bytes; MAX_FILE_BYTES can allow more.\n' +
      'nothing\\u000aAdded 1 file: no such file.\n',
  );
  expect(await shownCase()).toMatchObject({ total_files: 0 });
  expect(await kept()).toEqual([]);
});

const expectFile = () => cli.json<AddedFile>(`file expect ${caseId} scan.pdf`);
const addFor = (id: string, path: string, options?: CliOptions) => cli.run(`file add --for ${id} ${path}`, options);

test('file expect creates a file that waits for its upload', async () => {
  const expected = await expectFile();
  const { files, file_analysis_status: status } = await shownCase();
  expect(status).toBe('waiting_for_file_analysis');
  expect(files).toEqual([
    {
      file_id: expected.file_id,
      label: 'scan.pdf',
      uploaded_at: '2026-03-02T12:00:00.000Z',
      thumbnail_url: expect.stringMatching(`^${thumbnailUrl}$`),
      mime_type: 'application/octet-stream',
      analysis_status: 'waiting_for_upload',
      analysis_completed_at: null,
    },
  ]);
  expect(expected).toEqual({ case_id: caseId, ...files[0], analysis_completed_at: undefined });
});

test('file expect tells people how to upload it', async () => {
  const told = await cli.text(`file expect ${caseId.toUpperCase()} a\u001b.pdf`);
  const [id = ''] = (await shownCase()).files.map((file) => file.file_id);
  expect(told).toBe(
    `The file ${id} (a\\u001b.pdf) of case ${caseId} is waiting for its content. Upload it with:\n` +
      `document-analysis file add --for ${id} PATH\n`,
  );
});

test('file expect is fulfilled by file add --for, once, and not by content that is not accepted', async () => {
  const { file_id: id, thumbnail_url: before } = await expectFile();
  const waiting = await shownCase();
  const refused = await cli.fails(1, `file add --for ${id} ${await cli.write('program', '\x7fELF\0')}`);
  expect(refused).toContain('Nothing was added: 1 file was not accepted:');
  expect(await shownCase()).toEqual(waiting);
  const path = await cli.write('Picture.PNG', picture);
  const uploaded_at = '2026-03-02T13:00:00.000Z';
  const own = `--organisation ${organisation.toUpperCase()}`;
  const file = { file_id: id, label: 'scan.pdf' };
  expect(
    await cli.json(`file add --for ${id.toUpperCase()} ${path} ${own}`, { now: new Date(uploaded_at) }),
  ).toMatchObject({ case_id: caseId, files: [{ ...file, bytes: picture.length }] });
  const shown = await shownCase();
  const facts = { uploaded_at, mime_type: 'image/png', analysis_status: 'waiting_for_analysis' };
  expect(shown).toMatchObject({ total_files: 1, files: [{ ...file, ...facts }] });
  expect(shown.files[0]?.thumbnail_url).not.toBe(before);
  const files = await kept();
  expect(await cli.fails(1, `file add --for ${id} ${path}`)).toContain(`The file ${id} is not waiting`);
  expect([await shownCase(), await kept()]).toEqual([shown, files]);
});

test('file expect is fulfilled by one of two programs at once, and the other leaves no thumbnail', async () => {
  const { file_id: id } = await expectFile();
  const paths = [await cli.write('a.txt', 'a'), await cli.write('b.txt', 'b')];
  const outcomes = await Promise.all(paths.map((path) => addFor(id, path)));
  expect(outcomes.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
  const told = outcomes.map(({ stderr }) => stderr).join('');
  expect(told).toMatch(/^error: The file \S+ is not waiting for an upload\. Nothing was added\. .*\n$/);
  const [file] = (await shownCase()).files;
  expect(readdirSync(join(folder, 'thumbnails'))).toEqual([file?.thumbnail_url.split('/').at(-1)]);
});

test('file expect is refused to another organisation, and of a locked case before a file is read, as file add is', async () => {
  const { file_id: id } = await expectFile();
  const other = await cli.addOrganisation('Other');
  const told = await cli.fails(1, `file add --for ${id} /no/such/file --organisation ${other}`);
  expect(told).toBe(`error: The file ${id} does not belong to organisation ${other}. Nothing was added.\n`);
  await cli.text(`case lock ${caseId}`);
  for (const command of [`add --for ${id} /no/such/file`, `add ${caseId} /no/such/file`, `expect ${caseId} a.pdf`])
    expect(await cli.fails(1, `file ${command}`)).toBe(isLocked());
  expect([(await shownCase()).total_files, await kept()]).toEqual([1, []]);
});

test.each([
  ['add any --label x a.txt b.txt', '--label applies to one file only'],
  ['add any --label= a.txt', 'It must have 1 to 255 characters.'],
  [`add any --label ${'x'.repeat(256)} a.txt`, 'It must have 1 to 255 characters.'],
  ['add any', "missing required argument 'file'"],
  ['add', "missing required argument 'case'"],
  [`add --for ${unknown}`, '--for takes exactly one path'],
  [`add --for ${unknown} a.txt b.txt`, '--for takes exactly one path'],
  [`add --for ${unknown} a.txt --label x`, '--label cannot be used with --for'],
  [`add ${unknown} a.txt --organisation ${unknown}`, '--organisation can only be used with --for'],
  ['expect any ', 'It must have 1 to 255 characters.'],
  [`expect any ${'x'.repeat(256)}`, 'It must have 1 to 255 characters.'],
])('wrong usage: file %s', async (command, message) => {
  expect(await cli.fails(2, `file ${command}`)).toContain(message);
});

test('if nobody can tell whether files were added, their thumbnails stay', async () => {
  const path = await cli.write('a.txt', 'text');
  const settings = { folder, maxBytes: 1000, thumbnailBaseUrl: 'https://files.example' };
  const lost = Object.assign(new StoreUnavailableError('The connection was lost.'), { outcomeUnknown: true });
  await cli.withStore(async (opened) => {
    const store: Pick<Store, 'addFiles'> = {
      addFiles: async (addition) => {
        await opened.addFiles(addition);
        throw lost;
      },
    };
    const adding = addFiles({ caseId, files: [{ path, label: 'a.txt' }] }, { store, settings, now: () => new Date() });
    await expect(adding).rejects.toBe(lost);
  });
  const [file] = (await shownCase()).files;
  expect(await kept('thumbnails')).toEqual([file?.thumbnail_url.replace('https://files.example/thumbnails/', '')]);
});

test('file add does not guess where a server on any free port will be', async () => {
  const told = await cli.fails(2, `file add ${caseId} a.txt`, { environment: { PORT: '0' } });
  expect(told).toBe(
    'error: THUMBNAIL_BASE_URL is required when PORT is 0, because the port of the server is unknown\n',
  );
});

describe('files sweep', () => {
  const now = new Date();
  const leave = (content: string) => storeContent(folder, createHash('sha256').update(content).digest(), content);
  beforeEach(async () => {
    await cli.withStore((store) => addStoredFiles(store, folder, caseId, ['kept']));
    const longAgo = new Date('2026-01-01T00:00:00.000Z');
    await utimes(await leave('left'), longAgo, longAgo);
  });

  test('tells what is left over, and removes it only with --delete', async () => {
    const before = await readTree(folder);
    expect(await cli.text('files sweep', { now })).toMatch(
      /^LEFTOVERS +FILES +BYTES\ncontent +1 +4\nthumbnails +0 +0\nincoming +0 +0\n\nNothing removed\. Add --delete to remove them\.\n$/,
    );
    expect(await readTree(folder)).toEqual(before);
    expect(await cli.json('files sweep --delete', { now })).toEqual({
      folder,
      database: cli.databasePath,
      deleted: true,
      content: { files: 1, bytes: 4 },
      thumbnails: { files: 0, bytes: 0 },
      incoming: { files: 0, bytes: 0 },
      too_recent: 0,
    });
    expect((await readTree(folder)).size).toBe(before.size - 1);
    for (const again of ['files sweep', 'files sweep --delete'])
      expect(await cli.text(again, { now })).toMatch(/\nNo leftovers\.\n$/);
  });

  test('shows its progress, and says what is too recent', async () => {
    await leave('new');
    const { stdout, stderr } = await cli.run('files sweep --delete', { now, terminal: true });
    expect(stderr).toMatch(/Looking \[.*\] 257\/257 folders[^]*Removing \[.*\] 1\/1 leftovers/);
    expect(stdout).toMatch(/Removed\.\nKept 1 leftover that may still be in use: too recent to remove\.\n$/);
  });
});
