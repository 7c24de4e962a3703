import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { describeCase } from '../../../src/domain/case.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { pictureOf, pngBomb } from '../../support/images.ts';
import { buildCase } from '../../support/tenants.ts';

// Each file's thumbnail is drawn in a process of its own, which compiles its sources first.
const timeout = 120_000;

interface Added {
  case_id: string;
  files: {
    file_id: string;
    label: string;
    uploaded_at: string;
    thumbnail_url: string;
    mime_type: string;
    content_sha256: string;
    bytes: number;
    generic_thumbnail: boolean;
  }[];
}

let cli: CliHarness;
let caseId: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  const organisation = await cli.addOrganisation();
  const empty = buildCase([]);
  caseId = empty.case_id;
  await cli.withStore((store) => store.importCases(organisation, [empty]));
});
afterEach(() => cli.stop());

const add = (files: string[], options?: CliOptions) => cli.run(['file', 'add', caseId, ...files], options);
const shownCase = () => cli.json<ReturnType<typeof describeCase>>(['case', 'show', caseId]);
const kept = (folder: string) => {
  const path = join(cli.folder, 'data', 'document-analysis-uk-files', folder);
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
};

describe('file add', () => {
  test(
    'adds files that wait for their analysis, with their content and a thumbnail that the server has',
    async () => {
      const picture = pictureOf('image/png', 30, 20);
      const text = await cli.write('letter', 'Company number 01234567\n');
      const paths = [await cli.write('scan.pdf', picture), text];
      const added = await cli.json<Added>(['file', 'add', caseId.toUpperCase(), ...paths]);
      expect(added).toMatchObject({
        case_id: caseId,
        files: [
          { label: 'scan.pdf', mime_type: 'image/png', bytes: picture.length, generic_thumbnail: false },
          { label: 'letter', mime_type: 'text/plain', bytes: 24, generic_thumbnail: false },
        ],
      });
      const shown = await shownCase();
      expect(shown.total_files).toBe(2);
      for (const {
        file_id: id,
        label,
        thumbnail_url: url,
        mime_type: type,
        uploaded_at: at,
        content_sha256: hash,
      } of added.files) {
        expect(shown.files).toContainEqual({
          file_id: id,
          label,
          uploaded_at: at,
          thumbnail_url: url,
          mime_type: type,
          analysis_status: 'waiting_for_analysis',
          analysis_completed_at: null,
        });
        const [, name = ''] = /^http:\/\/127\.0\.0\.1:8080\/thumbnails\/([0-9a-f]{40}\.webp)$/.exec(url) ?? [];
        expect(kept('thumbnails').map((path) => path.endsWith(name))).toContain(true);
        const content = kept('content').find((path) => path.endsWith(hash)) ?? '';
        expect(createHash('sha256').update(readFileSync(content)).digest('hex')).toBe(hash);
      }
      expect(kept('incoming')).toEqual([]);
      const analysis = await cli.withStore((store) => store.readAnalysis(added.files[0]?.file_id ?? ''));
      expect(Buffer.from(analysis.content_sha256 ?? []).toString('hex')).toBe(added.files[0]?.content_sha256);
    },
    timeout,
  );

  test(
    'tells people what was added, and whose content could not be drawn',
    async () => {
      const { exitCode, stdout, stderr } = await add([await cli.write('bomb.png', pngBomb(50_000, 50_000))]);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(
        new RegExp(
          `^Added 1 file to case ${caseId}:\nFILE +LABEL +TYPE +BYTES +THUMBNAIL\n` +
            '[0-9a-f-]{36} +bomb\\.png +image/png +\\d+ +http://127\\.0\\.0\\.1:8080/thumbnails/[0-9a-f]{40}\\.webp\n\n' +
            'The content of 1 file could not be drawn, so the thumbnail only shows the media type\\.\n$',
        ),
      );
      expect(await shownCase()).toMatchObject({ total_files: 1 });
    },
    timeout,
  );

  test(
    'gives a file the label that is asked for, else its own name without what could steer a terminal',
    async () => {
      const path = await cli.write('a\u001b[2J\u202efdp.txt', 'text');
      await add([path]);
      await add([path, '--label', 'Certificate of incorporation']);
      await add([await cli.write(`${'é'.repeat(100)}.txt`, 'text')], {
        environment: { THUMBNAIL_BASE_URL: 'https://files.example/uk/' },
      });
      const { files } = await shownCase();
      expect(files.map((file) => file.label).sort()).toEqual([
        'Certificate of incorporation',
        'a[2Jfdp.txt',
        `${'é'.repeat(100)}.txt`,
      ]);
      expect(
        files.filter((file) => file.thumbnail_url.startsWith('https://files.example/uk/thumbnails/')),
      ).toHaveLength(1);
      expect(kept('content')).toHaveLength(1);
    },
    timeout,
  );

  test(
    'shows in a terminal how far it has come with several files',
    async () => {
      const path = await cli.write('a.txt', 'text');
      const { stderr } = await add([path, path], { terminal: true });
      expect(stderr).toContain('Adding [');
      expect(stderr).toContain('2/2 files');
      expect((await shownCase()).total_files).toBe(2);
    },
    timeout,
  );
});

describe('file add refuses', () => {
  test('all files if one is not accepted, naming each that is not', async () => {
    const paths = [
      await cli.write('good.txt', 'text'),
      await cli.write('program.txt', '\x7fELF\0'),
      await cli.write('large.txt', 'a'.repeat(101)),
      join(cli.folder, 'nothing'),
    ];
    const { exitCode, stdout, stderr } = await add(paths, { environment: { MAX_FILE_BYTES: '100' } });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr.replaceAll(`${cli.folder}/`, '')).toBe(
      'error: Nothing was added: 3 files were not accepted:\n' +
        'program.txt: its content is none of these: PDF, PNG, JPEG, WebP, plain text in UTF-8.\n' +
        'large.txt: it is larger than 100 bytes; MAX_FILE_BYTES can allow more.\n' +
        'nothing: no such file.\n',
    );
    expect(await shownCase()).toMatchObject({ total_files: 0 });
    expect([...kept('.')]).toEqual([]);
  });

  test('a file whose name has line ends, without printing them', async () => {
    const { stderr } = await add([join(cli.folder, 'nothing\nAdded 1 file')]);
    expect(stderr.split('\n')).toEqual([
      'error: Nothing was added: 1 file was not accepted:',
      expect.stringMatching(/nothing\\u000aAdded 1 file: no such file\.$/),
      '',
    ]);
  });

  test('a locked case, before it reads a file', async () => {
    await cli.run(['case', 'lock', caseId]);
    const { exitCode, stderr } = await add(['/no/such/file']);
    expect([exitCode, stderr]).toEqual([
      1,
      `error: request.cases.case.already-locked: The case ${caseId} is locked.\n`,
    ]);
  });

  test('a case that does not exist', async () => {
    const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    const { exitCode, stderr } = await cli.run(['file', 'add', unknown, '/no/such/file']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: There is no case .*case list\n$/)]);
  });

  test.each([
    [['--label', 'x', 'a.txt', 'b.txt'], '--label applies to one file only'],
    [['--label', '', 'a.txt'], 'It must have 1 to 255 characters.'],
    [['--label', 'x'.repeat(256), 'a.txt'], 'It must have 1 to 255 characters.'],
    [[], "missing required argument 'file'"],
  ])('wrong usage: %j', async (args, message) => {
    expect(await add(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });

  test('to guess where a server on any free port will be', async () => {
    const { exitCode, stderr } = await add(['a.txt'], { environment: { PORT: '0' } });
    expect([exitCode, stderr]).toEqual([
      2,
      'error: THUMBNAIL_BASE_URL is required when PORT is 0, because the port of the server is unknown\n',
    ]);
  });
});
