import { createHash, hash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { SmallDisk } from '../../fault-injection/small-disk.ts';
import { readTree, storeContent } from '../../support/region-files.ts';
import { type BackedUp, startBackedUp } from './fixture.ts';

let site: BackedUp;
beforeEach(async () => {
  site = await startBackedUp();
});

const dataOf = (folder: string) => join(folder, 'document-analysis-uk.sqlite');

test('a backup holds the database and each file that it names, and nothing else, for its owner alone', async () => {
  await storeContent(site.filesFolder, createHash('sha256').update('left over').digest(), 'left over');
  const backup = join(site.cli.folder, 'a/b/backup');
  const facts = await site.cli.json<object>(['backup', backup]);
  expect(facts).toMatchObject({ backup, region: 'uk', created_at: '2026-03-02T12:00:00.000Z', parts: 6, missing: 0 });
  const tree = await readTree(backup);
  const names = [...tree.keys()].map((name) => name.split('/')[0]).sort();
  const thumbnails = Array<string>(3).fill('thumbnails');
  expect(names).toEqual(['content', 'content', 'database.sqlite', 'manifest.json', 'parts.sha256', ...thumbnails]);
  const files = await readTree(site.filesFolder);
  for (const [name, content] of tree) if (name.includes('/')) expect(files.get(name)).toBe(content);
  const modes = await Promise.all(['', 'manifest.json', 'database.sqlite'].map((name) => stat(join(backup, name))));
  expect(modes.map(({ mode }) => mode & 0o077)).toEqual([0, expect.any(Number), expect.any(Number)]);
  // As sha256sum reads them.
  const lines = Buffer.from(tree.get('parts.sha256') ?? '', 'hex')
    .toString()
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(6);
  for (const [sha256, name = ''] of lines.map((line) => line.split('  ')))
    expect(sha256).toBe(hash('sha256', Buffer.from(tree.get(name) ?? '', 'hex')));
});

test('a backup is made of a database that another program is writing to, as it was when the backup began', async () => {
  const other = new Sqlite(dataOf(join(site.cli.folder, 'data')));
  other.exec("BEGIN IMMEDIATE; INSERT INTO role VALUES ('not committed')");
  const backup = join(site.cli.folder, 'again');
  await site.cli.json(['backup', backup]);
  other.exec('COMMIT');
  other.close();
  const copy = new Sqlite(join(backup, 'database.sqlite'), { readonly: true });
  expect(copy.prepare("SELECT count(*) FROM role WHERE role = 'not committed'").pluck().get()).toBe(0);
  copy.close();
});

test('a backup is made without the files that the region lacks, and says so', async () => {
  const [thumbnail = ''] = (await readTree(join(site.filesFolder, 'thumbnails'))).keys();
  await rm(join(site.filesFolder, 'thumbnails', thumbnail));
  const sha256 = createHash('sha256').update('one').digest();
  await storeContent(site.filesFolder, sha256, 'another');
  const backup = join(site.cli.folder, 'lacking');
  const { exitCode, stdout, stderr } = await site.cli.run(['backup', backup]);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('Backed up region uk to')]);
  expect(stderr).toMatch(/^error: The backup \S+ was made without 2 files, missing or damaged in \S+-uk-files\./);
  expect((await readTree(backup)).size).toBe(6);
  expect(await site.cli.json(['restore', backup, '--check'])).toMatchObject({ restored: false, missing: 2 });
});

test('a backup into a folder that holds something is refused, and leaves it as it is', async () => {
  const before = await readTree(site.backup);
  const { exitCode, stderr } = await site.cli.run(['backup', site.backup]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: No backup was made: \S+ is not empty\. /)]);
  expect(await readTree(site.backup)).toEqual(before);
});

test('of two backups that begin in one folder, one is made and the other refused', async () => {
  const runs = await Promise.all([0, 1, 2].map(() => site.cli.run(['backup', site.empty])));
  expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
  expect((await site.cli.run(['restore', site.empty, '--check'])).exitCode).toBe(0);
});

test('a backup of a region that has no data, or a damaged database, is refused and leaves no folder', async () => {
  const nothing = await site.cli.run(['backup', site.empty, '--region', 'ca']);
  expect(nothing.stderr).toMatch(/^error: The database \S+-ca\.sqlite cannot be backed up: .*Name the file/);
  const database = dataOf(join(site.cli.folder, 'data'));
  const content = await readFile(database);
  // The name is in the table and in an index.
  const at = content.indexOf('Acme Ltd');
  await writeFile(database, content.fill('x', at, at + 4));
  const damaged = await site.cli.run(['backup', site.empty]);
  await writeFile(database, content.fill(0xff, 4096));
  const destroyed = await site.cli.run(['backup', site.empty]);
  expect(destroyed.stderr).toMatch(/^error: The database \S+ (is damaged|cannot be backed up): .*malformed/);
  expect(damaged.stderr).toMatch(/^error: The database \S+ is damaged: .*\. No backup was made\./);
  expect([nothing.exitCode, damaged.exitCode, destroyed.exitCode]).toEqual([1, 1, 1]);
  await expect(stat(site.empty)).rejects.toThrow('ENOENT');
});

test('a backup or restore of a PostgreSQL database names its own tools', async () => {
  const environment = { DATABASE_URL: 'postgres://somebody:secret@host/db' };
  for (const [command, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const { exitCode, stderr } = await site.cli.run([command, site.empty], { environment });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: A PostgreSQL database .*${tool}`));
    expect(stderr).not.toContain('secret');
  }
});

test('a backup shows its progress to somebody who watches', async () => {
  const { stderr } = await site.cli.run(['backup', site.empty], { terminal: true });
  expect(stderr).toMatch(/Copying \[.*\] 5\/5 files/);
  expect(stderr).toMatch(/Checking \[.*\] 6\/6 files/);
});

// Only a process that may mount, as root may, has one.
const onSmallDisk = SmallDisk.missing() === undefined ? test : test.skip;
onSmallDisk('a backup on a full disk leaves nothing', async () => {
  const disk = new SmallDisk(join(site.cli.folder, 'disk'), 1);
  try {
    const large = 'x'.repeat(1024 ** 2);
    const sha256 = createHash('sha256').update(large).digest();
    await storeContent(site.filesFolder, sha256, large);
    const rename = new Sqlite(dataOf(join(site.cli.folder, 'data')));
    rename.prepare('UPDATE analysis SET content_sha256 = ?').run(sha256);
    rename.close();
    const { exitCode, stderr } = await site.cli.run(['backup', join(disk.folder, 'backup')]);
    expect(stderr).toMatch(/^error: The backup \S+ cannot be written: ENOSPC: .*Free disk space/);
    expect(exitCode).toBe(1);
    expect((await readTree(disk.folder)).size).toBe(0);
  } finally {
    disk.unmount();
  }
});
