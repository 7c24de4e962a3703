import { createHash, hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { restoreBackup } from '../../src/store/backup/restore-backup.ts';
import { currentVersion, migrations } from '../../src/store/schema/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { SmallDisk } from '../fault-injection/small-disk.ts';
import { CliHarness } from '../support/cli.ts';
import { addStoredFiles, readTree, storeContent } from '../support/region-files.ts';
import { addCase } from '../support/tenants.ts';

/** Of a region with files: the command line, the folder of the files, a backup, and a data directory that does not exist. */
let cli: CliHarness;
let caseId: string;
let filesFolder: string;
let backup: string;
let empty: string;
beforeEach(() => start());

async function start(contents = ['one', 'two', 'two']): Promise<void> {
  cli = await CliHarness.start();
  [filesFolder, backup] = [join(cli.folder, 'data', 'document-analysis-uk-files'), join(cli.folder, 'backup')];
  empty = join(cli.folder, 'empty');
  const organisation = await cli.addOrganisation();
  await cli.withStore(async (store) => {
    caseId = await addCase(store, organisation);
    await addStoredFiles(store, filesFolder, caseId, contents);
  });
  await cli.json(['backup', backup]);
}

/** Stores content that no file of the region names, unless a digest is given. */
const leave = (content: string, sha256 = createHash('sha256').update(content).digest()) =>
  storeContent(filesFolder, sha256, content);

test('a backup holds the database and each file that it names, and nothing else, for its owner alone', async () => {
  await leave('left over');
  const made = join(cli.folder, 'a/b/backup');
  const facts = { backup: made, region: 'uk', created_at: '2026-03-02T12:00:00.000Z', parts: 6, missing: 0 };
  expect(await cli.json(['backup', made])).toMatchObject(facts);
  const tree = await readTree(made);
  const names = [...tree.keys()].map((name) => name.split('/')[0]).sort();
  const thumbnails = Array<string>(3).fill('thumbnails');
  expect(names).toEqual(['content', 'content', 'database.sqlite', 'manifest.json', 'parts.sha256', ...thumbnails]);
  const files = await readTree(filesFolder);
  for (const [name, content] of tree) if (name.includes('/')) expect(files.get(name)).toBe(content);
  const modes = await Promise.all(['', 'manifest.json', 'database.sqlite'].map((name) => stat(join(made, name))));
  expect(modes.map(({ mode }) => mode & 0o077)).toEqual([0, expect.any(Number), expect.any(Number)]);
  // As sha256sum reads them.
  const lines = (await readFile(join(made, 'parts.sha256'), 'utf8')).trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  for (const [sha256, name = ''] of lines.map((line) => line.split('  ')))
    expect(sha256).toBe(hash('sha256', Buffer.from(tree.get(name) ?? '', 'hex')));
});

test('a backup is made of a database that another program is writing to, as it was when the backup began', async () => {
  const other = new Sqlite(cli.databasePath);
  other.exec("BEGIN IMMEDIATE; INSERT INTO role VALUES ('not committed')");
  await cli.json(['backup', empty]);
  other.exec('COMMIT');
  other.close();
  const copy = new Sqlite(join(empty, 'database.sqlite'), { readonly: true });
  expect(copy.prepare("SELECT count(*) FROM role WHERE role = 'not committed'").pluck().get()).toBe(0);
  copy.close();
});

test('a backup is made without the files that the region lacks, and says so', async () => {
  const [thumbnail = ''] = (await readTree(join(filesFolder, 'thumbnails'))).keys();
  await rm(join(filesFolder, 'thumbnails', thumbnail));
  await leave('another', createHash('sha256').update('one').digest());
  const { exitCode, stdout, stderr } = await cli.run(['backup', empty]);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('Backed up region uk to')]);
  expect(stderr).toMatch(/^error: The backup \S+ was made without 2 files, missing or damaged in \S+-uk-files\./);
  expect((await readTree(empty)).size).toBe(6);
  expect(await cli.json(['restore', empty, '--check'])).toMatchObject({ restored: false, missing: 2 });
});

test('a backup into a folder that holds something is refused, and leaves it as it is', async () => {
  const before = await readTree(backup);
  const { exitCode, stderr } = await cli.run(['backup', backup]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: No backup was made: \S+ is not empty\. /)]);
  expect(await readTree(backup)).toEqual(before);
});

test('of two backups that begin in one folder, one is made and the other refused', async () => {
  const runs = await Promise.all([0, 1, 2].map(() => cli.run(['backup', empty])));
  expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
  expect((await cli.run(['restore', empty, '--check'])).exitCode).toBe(0);
});

test('a backup of a region that has no data, or a damaged database, is refused and leaves no folder', async () => {
  const nothing = await cli.run(['backup', empty, '--region', 'ca']);
  expect(nothing.stderr).toMatch(/^error: The database \S+-ca\.sqlite cannot be backed up: .*Name the file/);
  const content = await readFile(cli.databasePath);
  // The name is in the table and in an index.
  const at = content.indexOf('Acme Ltd');
  await writeFile(cli.databasePath, content.fill('x', at, at + 4));
  const damaged = await cli.run(['backup', empty]);
  await writeFile(cli.databasePath, content.fill(0xff, 4096));
  const destroyed = await cli.run(['backup', empty]);
  expect(destroyed.stderr).toMatch(/^error: The database \S+ (is damaged|cannot be backed up): .*malformed/);
  expect(damaged.stderr).toMatch(/^error: The database \S+ is damaged: .*\. No backup was made\./);
  expect([nothing.exitCode, damaged.exitCode, destroyed.exitCode]).toEqual([1, 1, 1]);
  await expect(stat(empty)).rejects.toThrow('ENOENT');
});

test.each(['backup', 'restore'])('a %s of a PostgreSQL database names its own tool', async (command) => {
  const environment = { DATABASE_URL: 'postgres://somebody:secret@host/db' };
  const told = await cli.fails(1, [command, empty], { environment });
  expect(told).toMatch(`error: A PostgreSQL database`);
  expect(told).toContain(command === 'backup' ? 'pg_dump' : 'pg_restore');
  expect(told).not.toContain('secret');
});

test('a backup shows its progress to somebody who watches', async () => {
  const { stderr } = await cli.run(['backup', empty], { terminal: true });
  expect(stderr).toMatch(/Copying \[.*\] 5\/5 files/);
  expect(stderr).toMatch(/Checking \[.*\] 6\/6 files/);
});

// Only a process that may mount, as root may, has one.
const onSmallDisk = SmallDisk.missing() === undefined ? test : test.skip;
onSmallDisk('a backup on a full disk leaves nothing', async () => {
  const disk = new SmallDisk(join(cli.folder, 'disk'), 1);
  try {
    const large = 'x'.repeat(1024 ** 2);
    await leave(large);
    const database = new Sqlite(cli.databasePath);
    database.prepare('UPDATE analysis SET content_sha256 = ?').run(createHash('sha256').update(large).digest());
    database.close();
    const { exitCode, stderr } = await cli.run(['backup', join(disk.folder, 'backup')]);
    expect(stderr).toMatch(/^error: The backup \S+ cannot be written: ENOSPC: .*Free disk space/);
    expect(exitCode).toBe(1);
    expect((await readTree(disk.folder)).size).toBe(0);
  } finally {
    disk.unmount();
  }
});

const restore = (options: string[] = []) =>
  cli.run(['restore', backup, ...options], { environment: { DATA_DIR: empty } });
const refusal = (message: RegExp) => ({ exitCode: 1, stdout: '', stderr: expect.stringMatching(message) as unknown });

const partIn = async (folder: 'content' | 'thumbnails') =>
  join(folder, [...(await readTree(join(backup, folder))).keys()].at(-1) ?? '');

const at = (name: string) => join(backup, name);
const edit = async (name: string, from: string | RegExp, to: string) =>
  writeFile(at(name), (await readFile(at(name), 'utf8')).replace(from, to));
/** Changes the manifest, and has it name what is there: as a program would have written it. */
const rewrite = async (changes: Record<string, unknown> = {}) => {
  const { manifest: before } = JSON.parse(await readFile(at('manifest.json'), 'utf8')) as { manifest: object };
  const manifest = { ...before, parts_sha256: hash('sha256', await readFile(at('parts.sha256'))), ...changes };
  await writeFile(at('manifest.json'), JSON.stringify({ manifest, sha256: hash('sha256', JSON.stringify(manifest)) }));
};
const addPart = (line: string) => appendFile(at('parts.sha256'), line).then(() => rewrite());
/** Changes one byte of a part. */
const flip = async (name: string) => {
  const path = at(name);
  const content = await readFile(path);
  const middle = Math.floor(content.length / 2);
  await writeFile(path, content.fill(content.readUInt8(middle) ^ 1, middle, middle + 1));
};

test('restore gives back the region as it was, to a server of this version, beside the other region', async () => {
  await mkdir(join(empty, 'document-analysis-uk-files'), { recursive: true });
  await writeFile(join(empty, 'document-analysis-ca.sqlite'), 'the other region');
  expect(await restore()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Restored region uk from \S+: the database and 5 files/) as unknown,
  });
  const names = ['document-analysis-ca.sqlite', 'document-analysis-uk-files', 'document-analysis-uk.sqlite'];
  expect((await readdir(empty)).sort()).toEqual(names);
  expect(await readFile(join(empty, 'document-analysis-ca.sqlite'), 'utf8')).toBe('the other region');
  expect(await readTree(join(empty, 'document-analysis-uk-files'))).toEqual(await readTree(filesFolder));
  const show = (environment = {}) => cli.json(['case', 'show', caseId], { environment });
  expect(await show({ DATA_DIR: empty })).toEqual(await show());
});

test('restore reads all of a backup and writes nothing with --check', async () => {
  expect(await restore(['--check'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\S+ is a complete backup of region uk: the database and 5 files/) as unknown,
  });
  await expect(readdir(empty)).rejects.toThrow('ENOENT');
});

test('restore takes a backup of an older version, made with the program of before or after an upgrade, and a start updates it', async () => {
  const older = currentVersion();
  migrations.push(() => 'CREATE TABLE later (number INTEGER)');
  try {
    const before = join(cli.folder, 'before');
    expect(await cli.json(['backup', before])).toMatchObject({ schema_version: older, missing: 0 });
    const path = join(empty, 'document-analysis-uk.sqlite');
    const versions = [];
    for (const made of [backup, before]) {
      expect(await cli.run(['restore', made, '--data-dir', empty])).toMatchObject({ exitCode: 0 });
      const restored = new Sqlite(path);
      versions.push(restored.pragma('user_version', { simple: true }));
      const store = openSqliteStore(path);
      expect(await store.listOrganisations()).not.toEqual([]);
      await store.close();
      versions.push(restored.pragma('user_version', { simple: true }));
      restored.close();
      await rm(empty, { recursive: true });
    }
    expect(versions).toEqual([older, older + 1, older, older + 1]);
  } finally {
    migrations.pop();
  }
});

const last = /.*\n$/;
const zeros = '0'.repeat(64);
const noPart = /parts\.sha256 has a line that does not name a part\. Restore another backup\.\n$/;
test.each<[what: string, inflict: () => Promise<unknown>, message: RegExp]>([
  ['that did not come to its end', () => rm(at('manifest.json')), /the backup was interrupted/],
  [
    'whose manifest was edited',
    () => edit('manifest.json', '"missing": 0', '"missing": 1'),
    /is damaged: manifest\.json does not match its SHA-256\. Restore another backup\.$/m,
  ],
  ['whose manifest is empty', () => writeFile(at('manifest.json'), ''), /is damaged: manifest\.json/],
  ['of something else', () => writeFile(at('manifest.json'), '{"manifest":{}}'), /is not a backup of this pro.*Name/],
  ['whose database is damaged', () => flip('database.sqlite'), /is damaged: database\.sqlite does not match its SHA/],
  ['whose database is missing', () => rm(at('database.sqlite')), /database\.sqlite cannot be read: ENOENT/],
  ['with damaged content', async () => flip(await partIn('content')), /is damaged: content\/\S+ does not match its/],
  ['with cut content', async () => writeFile(at(await partIn('content')), ''), /is damaged: content\//],
  ['that lacks a thumbnail', async () => rm(at(await partIn('thumbnails'))), /thumbnails\/\S+ cannot be read/],
  ['whose list of parts is cut', () => edit('parts.sha256', last, ''), /is damaged: parts\.sha256 does not match/],
  [
    'of a newer format',
    () => rewrite({ format_version: 2 }),
    /has format 2 and schema version 1, and this program supports/,
  ],
  ['of a newer schema', () => rewrite({ schema_version: 99 }), /has format 1 and schema version 99, and this program/],
  ['of the other region', () => rewrite({ region: 'ca' }), /belongs to region ca, not uk\. Add --region ca/],
  ['with a part that is outside', () => addPart(`${zeros}  content/../../secret\n`), noPart],
  ['with a part that has an absolute path', () => addPart(`${zeros}  /etc/passwd\n`), noPart],
  ['with a part that has a folder of its own', () => addPart(`${zeros}  other/file\n`), noPart],
  ['with a line that is none of the list', () => addPart('something\n'), noPart],
  [
    'with a link, which it does not follow',
    async () => {
      const part = await partIn('content');
      await rename(join(backup, part), join(cli.folder, 'elsewhere'));
      await symlink(join(cli.folder, 'elsewhere'), join(backup, part));
    },
    /cannot be read: ELOOP/,
  ],
])('restore refuses a backup %s, and changes nothing', async (_, inflict, message) => {
  await inflict();
  for (const options of [['--check'], []]) {
    const outcome = await restore(options);
    expect(outcome).toEqual(refusal(message));
    expect(outcome.stderr).toMatch(/^error: .*\n$/);
  }
  expect(await readdir(empty).catch(() => [])).toEqual([]);
});

test.each([
  ['a database', 'document-analysis-uk.sqlite', /^error: Nothing was restored: \S+-uk\.sqlite already exists\./],
  ['what SQLite left beside one', 'document-analysis-uk.sqlite-wal', /\S+-wal already exists\./],
  ['files', 'document-analysis-uk-files/thumbnails/x', /\S+-uk-files already contains files\. Move them away/],
])('restore refuses a data directory that has %s, and leaves it as it is', async (_, name, message) => {
  await mkdir(join(empty, name, '..'), { recursive: true });
  await writeFile(join(empty, name), 'earlier');
  await cp(backup, join(empty, 'unrelated'), { recursive: true });
  const before = await readTree(empty);
  expect(await restore()).toEqual(refusal(message));
  expect(await readTree(empty)).toEqual(before);
});

test('restore leaves a database that a server has made meanwhile, and nothing beside it', async () => {
  const databasePath = join(empty, 'document-analysis-uk.sqlite');
  const data = { region: 'uk', databasePath, filesFolder: join(empty, 'document-analysis-uk-files') } as const;
  const restoring = restoreBackup(backup, data, {
    onProgress: () => {
      writeFileSync(databasePath, 'of the server');
    },
  });
  await expect(restoring).rejects.toThrow(`Nothing was restored: ${databasePath} already exists.`);
  expect(await readdir(empty)).toEqual(['document-analysis-uk.sqlite']);
  expect(await readFile(databasePath, 'utf8')).toBe('of the server');
});

test('restore refuses to begin while another restore runs', async () => {
  const staging = join(empty, 'document-analysis-uk-restore');
  await mkdir(staging, { recursive: true });
  const other = new Sqlite(join(staging, 'lock'));
  other.exec('BEGIN EXCLUSIVE');
  expect(await restore()).toEqual(refusal(/another restore is writing/));
  other.close();
  expect(await restore()).toMatchObject({ exitCode: 0 });
});

onSmallDisk.each([
  ['that is too small', ['x'.repeat(1024 ** 2)], /the disk of \S+ has only \d+ free\. Free disk space/],
  ['that is too full', Array.from({ length: 150 }, (_, index) => `content ${index}`), /cannot be written: ENOSPC/],
])('restore on a disk %s changes nothing', async (_, contents, message) => {
  await start(contents);
  const disk = new SmallDisk(empty, 1);
  try {
    expect(await restore()).toEqual(refusal(message));
    expect(await readdir(empty)).toEqual([]);
  } finally {
    disk.unmount();
  }
});
