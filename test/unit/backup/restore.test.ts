import { writeFileSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { restoreBackup } from '../../../src/store/backup/restore-backup.ts';
import { currentVersion, migrations } from '../../../src/store/schema/migrations.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { SmallDisk } from '../../fault-injection/small-disk.ts';
import { readTree } from '../../support/region-files.ts';
import { type BackedUp, rewriteDatabaseSum, rewriteManifest, startBackedUp } from './fixture.ts';

let site: BackedUp;
beforeEach(async () => {
  site = await startBackedUp();
});
afterEach(() => site.cli.stop());

const restore = (options: string[] = []) =>
  site.cli.run(['restore', site.backup, ...options], { environment: { DATA_DIR: site.empty } });

/** Changes one byte of a part. */
async function flip(name: string): Promise<void> {
  const path = join(site.backup, name);
  const content = await readFile(path);
  const middle = Math.floor(content.length / 2);
  await writeFile(path, content.fill(content.readUInt8(middle) ^ 1, middle, middle + 1));
}

const onlyPart = async (folder: string) => {
  const name = [...(await readTree(join(site.backup, folder))).keys()].at(-1) ?? '';
  return join(folder, name);
};

/** Changes the text of a part. */
const edit = (name: string, change: (text: string) => string) => async () => {
  const path = join(site.backup, name);
  await writeFile(path, change(await readFile(path, 'utf8')));
};

describe('restore', () => {
  test('gives back the region as it was, to a server of this version', async () => {
    const { exitCode, stdout } = await restore();
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^Restored region uk from \S+: the database and 5 files/),
    ]);
    expect((await readdir(site.empty)).sort()).toEqual(['document-analysis-uk-files', 'document-analysis-uk.sqlite']);
    expect(await readTree(join(site.empty, 'document-analysis-uk-files'))).toEqual(await readTree(site.filesFolder));
    const environment = { DATA_DIR: site.empty };
    const [before, after] = await Promise.all([
      site.cli.json(['case', 'show', site.caseId]),
      site.cli.json(['case', 'show', site.caseId], { environment }),
    ]);
    expect(after).toEqual(before);
  });

  test('reads all of a backup and writes nothing with --check', async () => {
    expect(await restore(['--check'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\S+ is a complete backup of region uk: the database and 5 files/) as unknown,
    });
    await expect(readdir(site.empty)).rejects.toThrow('ENOENT');
  });

  test('takes a backup of an older version, made with the program of before or after an upgrade, and a start updates it', async () => {
    const older = currentVersion();
    migrations.push(() => 'CREATE TABLE later (number INTEGER)');
    try {
      const backup = join(site.cli.folder, 'before');
      expect(await site.cli.json(['backup', backup])).toMatchObject({ schema_version: older, missing: 0 });
      const path = join(site.empty, 'document-analysis-uk.sqlite');
      const versions = [];
      for (const made of [site.backup, backup]) {
        expect(await site.cli.run(['restore', made, '--data-dir', site.empty])).toMatchObject({ exitCode: 0 });
        const restored = new Sqlite(path);
        versions.push(restored.pragma('user_version', { simple: true }));
        const store = openSqliteStore(path);
        expect(await store.listOrganisations()).not.toEqual([]);
        await store.close();
        versions.push(restored.pragma('user_version', { simple: true }));
        restored.close();
        await rm(site.empty, { recursive: true });
      }
      expect(versions).toEqual([older, older + 1, older, older + 1]);
    } finally {
      migrations.pop();
    }
  });

  const damage: [what: string, inflict: () => Promise<unknown>, message: RegExp][] = [
    ['that did not come to its end', () => rm(join(site.backup, 'manifest.json')), /the backup was interrupted/],
    [
      'whose manifest was edited',
      edit('manifest.json', (text) => text.replace('"missing": 0', '"missing": 1')),
      /is damaged: manifest\.json does not match its SHA-256\. Restore another backup\.$/m,
    ],
    ['whose manifest is empty', () => writeFile(join(site.backup, 'manifest.json'), ''), /is damaged: manifest\.json/],
    [
      'whose manifest is of something else',
      () => writeFile(join(site.backup, 'manifest.json'), '{"manifest":{}}'),
      /is not a backup of this program\. Name a folder/,
    ],
    [
      'whose database is damaged',
      () => flip('database.sqlite'),
      /is damaged: database\.sqlite does not match its SHA-256/,
    ],
    [
      'whose database is missing',
      () => rm(join(site.backup, 'database.sqlite')),
      /database\.sqlite cannot be read: ENOENT/,
    ],
    [
      'with damaged content',
      async () => flip(await onlyPart('content')),
      /is damaged: content\/\S+ does not match its SHA-256/,
    ],
    [
      'with cut content',
      async () => writeFile(join(site.backup, await onlyPart('content')), ''),
      /is damaged: content\//,
    ],
    [
      'that lacks a thumbnail',
      async () => rm(join(site.backup, await onlyPart('thumbnails'))),
      /thumbnails\/\S+ cannot be read/,
    ],
    [
      'whose list of parts is cut at a line end',
      edit('parts.sha256', (text) => text.replace(/.*\n$/, '')),
      /is damaged: parts\.sha256 does not match its SHA-256/,
    ],
    [
      'whose manifest lacks a field',
      () => rewriteManifest(site.backup, { schema_version: undefined }),
      /is damaged: manifest\.json does not have the field schema_version\. Restore another/,
    ],
    [
      'that does not list the database',
      async () => {
        await edit('parts.sha256', (text) => text.replace(/.*database.*\n/, ''))();
        await rewriteManifest(site.backup, { parts: 5 });
      },
      /is damaged: parts\.sha256 does not list database\.sqlite\. Restore another/,
    ],
    [
      'that lists fewer parts than it counts',
      async () => {
        await edit('parts.sha256', (text) => text.replace(/.*\n$/, ''))();
        await rewriteManifest(site.backup);
      },
      /is damaged: parts\.sha256 lists 5 parts, and manifest\.json 6\./,
    ],
    [
      'that does not list a file of the database',
      async () => {
        await edit('parts.sha256', (text) => text.replace(/.*\n$/, ''))();
        await rewriteManifest(site.backup, { parts: 5 });
      },
      /is damaged: parts\.sha256 does not list all files of the database: 1 missing\./,
    ],
    [
      'of a newer format',
      () => rewriteManifest(site.backup, { format_version: 2 }),
      /has format 2, and this program reads/,
    ],
    [
      'of a newer schema',
      () => rewriteManifest(site.backup, { schema_version: 99 }),
      /has schema version 99, and this program/,
    ],
    [
      'of the other region',
      () => rewriteManifest(site.backup, { region: 'ca' }),
      /belongs to region ca, not uk\. Add --region ca/,
    ],
  ];
  test.each(damage)('refuses a backup %s, and changes nothing', async (_, inflict, message) => {
    await inflict();
    for (const options of [['--check'], []]) {
      const { exitCode, stdout, stderr } = await restore(options);
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
      expect(stderr).toMatch(/^error: .*\n$/);
    }
    expect(await readdir(site.empty).catch(() => [])).toEqual([]);
  });

  test.each([
    ['reaches out of the backup', `${'0'.repeat(64)}  content/../../secret\n`],
    ['has an absolute path', `${'0'.repeat(64)}  /etc/passwd\n`],
    ['has a folder of its own', `${'0'.repeat(64)}  other/file\n`],
    ['is no line of the list', 'something\n'],
  ])('refuses a backup with a part that %s', async (_, line) => {
    await appendFile(join(site.backup, 'parts.sha256'), line);
    await rewriteManifest(site.backup);
    const { exitCode, stderr } = await restore();
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/parts\.sha256 has a line that does not name a part\. Restore another backup\.\n$/),
    ]);
    expect(await readdir(site.empty)).toEqual([]);
  });

  test('follows no link in a backup', async () => {
    const part = await onlyPart('content');
    await rename(join(site.backup, part), join(site.cli.folder, 'elsewhere'));
    await symlink(join(site.cli.folder, 'elsewhere'), join(site.backup, part));
    expect(await restore()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/cannot be read: ELOOP/) as unknown,
    });
  });

  test.each([
    ['a database', 'document-analysis-uk.sqlite', /^error: Nothing was restored: \S+-uk\.sqlite already exists\./],
    ['what SQLite left beside one', 'document-analysis-uk.sqlite-wal', /\S+-wal already exists\./],
    ['files', 'document-analysis-uk-files/thumbnails/x', /\S+-uk-files already contains files\. Move them away/],
  ])('refuses a data directory that has %s, and leaves it as it is', async (_, name, message) => {
    await mkdir(join(site.empty, name, '..'), { recursive: true });
    await writeFile(join(site.empty, name), 'earlier');
    await cp(site.backup, join(site.empty, 'unrelated'), { recursive: true });
    const before = await readTree(site.empty);
    expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(message) as unknown });
    expect(await readTree(site.empty)).toEqual(before);
  });

  test('refuses a database that is newer than the manifest says, and changes nothing', async () => {
    const database = new Sqlite(join(site.backup, 'database.sqlite'));
    database.pragma('user_version = 99');
    database.close();
    await rewriteDatabaseSum(site.backup);
    await rewriteManifest(site.backup);
    for (const options of [['--check'], []])
      expect(await restore(options)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(
          /has a database of schema version 99, which this program does not support\. Restore it with the program/,
        ) as unknown,
      });
    expect(await readdir(site.empty)).toEqual([]);
  });

  test('puts the region beside the other one', async () => {
    await mkdir(join(site.empty, 'document-analysis-uk-files'), { recursive: true });
    await writeFile(join(site.empty, 'document-analysis-ca.sqlite'), 'the other region');
    expect(await restore()).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(site.empty, 'document-analysis-ca.sqlite'), 'utf8')).toBe('the other region');
  });

  test('leaves a database that a server has made meanwhile, and nothing beside it', async () => {
    const databasePath = join(site.empty, 'document-analysis-uk.sqlite');
    const data = { region: 'uk', databasePath, filesFolder: join(site.empty, 'document-analysis-uk-files') } as const;
    const restoring = restoreBackup(site.backup, data, {
      onProgress: () => {
        writeFileSync(databasePath, 'of the server');
      },
    });
    await expect(restoring).rejects.toThrow(`Nothing was restored: ${databasePath} already exists.`);
    expect(await readdir(site.empty)).toEqual(['document-analysis-uk.sqlite']);
    expect(await readFile(databasePath, 'utf8')).toBe('of the server');
  });

  test('refuses to begin while another restore runs', async () => {
    const staging = join(site.empty, 'document-analysis-uk-restore');
    await mkdir(staging, { recursive: true });
    const other = new Sqlite(join(staging, 'lock'));
    other.exec('BEGIN EXCLUSIVE');
    expect(await restore()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/another restore is writing/) as unknown,
    });
    other.close();
    expect(await restore()).toMatchObject({ exitCode: 0 });
  });

  const onSmallDisk = SmallDisk.missing() === undefined ? test : test.skip;
  onSmallDisk.each([
    ['that is too small', ['x'.repeat(1024 ** 2)], /the disk of \S+ has only \d+ free\. Free disk space/],
    [
      'that is full before the end',
      Array.from({ length: 300 }, (_, index) => `content ${index}`),
      /cannot be written: ENOSPC/,
    ],
  ])('on a disk %s changes nothing', async (_, contents, message) => {
    await site.cli.stop();
    site = await startBackedUp(contents);
    const disk = new SmallDisk(site.empty, 1);
    try {
      expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(message) as unknown });
      expect(await readdir(site.empty)).toEqual([]);
    } finally {
      disk.unmount();
    }
  });
});
