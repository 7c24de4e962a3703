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

type BackedUp = Awaited<ReturnType<typeof startBackedUp>>;

/** A region with files, on which commands are run, and a backup of it. */
async function startBackedUp(contents = ['one', 'two', 'two']) {
  const cli = await CliHarness.start();
  const organisation = await cli.addOrganisation();
  const filesFolder = join(cli.folder, 'data', 'document-analysis-uk-files');
  const caseId = await cli.withStore(async (store) => {
    const made = await addCase(store, organisation);
    await addStoredFiles(store, filesFolder, made, contents);
    return made;
  });
  const backup = join(cli.folder, 'backup');
  await cli.json(['backup', backup]);
  /** A data directory that does not exist. */
  const empty = join(cli.folder, 'empty');
  return { cli, caseId, filesFolder, backup, empty };
}

let site: BackedUp;
beforeEach(async () => {
  site = await startBackedUp();
});

const restore = (options: string[] = []) =>
  site.cli.run(['restore', site.backup, ...options], { environment: { DATA_DIR: site.empty } });
const refusal = (message: RegExp) => ({ exitCode: 1, stdout: '', stderr: expect.stringMatching(message) as unknown });

const partIn = async (folder: 'content' | 'thumbnails') =>
  join(folder, [...(await readTree(join(site.backup, folder))).keys()].at(-1) ?? '');

const at = (name: string) => join(site.backup, name);
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
  const other = new Sqlite(site.cli.databasePath);
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
  const refused = await site.cli.fails(1, ['backup', site.backup]);
  expect(refused).toMatch(/^error: No backup was made: \S+ is not empty\. /);
  expect(await readTree(site.backup)).toEqual(before);
});

test('of two backups that begin in one folder, one is made and the other refused', async () => {
  const runs = await Promise.all([0, 1, 2].map(() => site.cli.run(['backup', site.empty])));
  expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
  expect((await site.cli.run(['restore', site.empty, '--check'])).exitCode).toBe(0);
});

test('a backup of a region that has no data, or a damaged database, is refused and leaves no folder', async () => {
  const refused = (...options: string[]) => site.cli.fails(1, ['backup', site.empty, ...options]);
  expect(await refused('--region', 'ca')).toMatch(
    /^error: The database \S+-ca\.sqlite cannot be backed up: .*Name the/,
  );
  const content = await readFile(site.cli.databasePath);
  // The name is in the table and in an index.
  const at = content.indexOf('Acme Ltd');
  await writeFile(site.cli.databasePath, content.fill('x', at, at + 4));
  expect(await refused()).toMatch(/^error: The database \S+ is damaged: .*\. No backup was made\./);
  await writeFile(site.cli.databasePath, content.fill(0xff, 4096));
  expect(await refused()).toMatch(/^error: The database \S+ (is damaged|cannot be backed up): .*malformed/);
  await expect(stat(site.empty)).rejects.toThrow('ENOENT');
});

test('a backup or restore of a PostgreSQL database names its own tools', async () => {
  const environment = { DATABASE_URL: 'postgres://somebody:secret@host/db' };
  for (const [command, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const refused = await site.cli.fails(1, [command, site.empty], { environment });
    expect(refused).toMatch(new RegExp(`^error: A PostgreSQL database .*${tool}`));
    expect(refused).not.toContain('secret');
  }
});

test('a backup shows its progress to somebody who watches', async () => {
  const { stderr } = await site.cli.run(['backup', site.empty], { terminal: true });
  expect(stderr).toMatch(/Copying \[.*\] 5\/5 files/);
  expect(stderr).toMatch(/Checking \[.*\] 6\/6 files/);
});

test('restore gives back the region as it was, to a server of this version, beside the other region', async () => {
  await mkdir(join(site.empty, 'document-analysis-uk-files'), { recursive: true });
  await writeFile(join(site.empty, 'document-analysis-ca.sqlite'), 'the other region');
  expect(await restore()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Restored region uk from \S+: the database and 5 files/) as unknown,
  });
  const names = ['document-analysis-ca.sqlite', 'document-analysis-uk-files', 'document-analysis-uk.sqlite'];
  expect((await readdir(site.empty)).sort()).toEqual(names);
  expect(await readFile(join(site.empty, 'document-analysis-ca.sqlite'), 'utf8')).toBe('the other region');
  expect(await readTree(join(site.empty, 'document-analysis-uk-files'))).toEqual(await readTree(site.filesFolder));
  const show = (environment = {}) => site.cli.json(['case', 'show', site.caseId], { environment });
  expect(await show({ DATA_DIR: site.empty })).toEqual(await show());
});

test('restore reads all of a backup and writes nothing with --check', async () => {
  expect(await restore(['--check'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\S+ is a complete backup of region uk: the database and 5 files/) as unknown,
  });
  await expect(readdir(site.empty)).rejects.toThrow('ENOENT');
});

test('restore takes a backup of an older version, made with the program of before or after an upgrade, and a start updates it', async () => {
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
      await rename(join(site.backup, part), join(site.cli.folder, 'elsewhere'));
      await symlink(join(site.cli.folder, 'elsewhere'), join(site.backup, part));
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
  expect(await readdir(site.empty).catch(() => [])).toEqual([]);
});

test.each([
  ['a database', 'document-analysis-uk.sqlite', /^error: Nothing was restored: \S+-uk\.sqlite already exists\./],
  ['what SQLite left beside one', 'document-analysis-uk.sqlite-wal', /\S+-wal already exists\./],
  ['files', 'document-analysis-uk-files/thumbnails/x', /\S+-uk-files already contains files\. Move them away/],
])('restore refuses a data directory that has %s, and leaves it as it is', async (_, name, message) => {
  await mkdir(join(site.empty, name, '..'), { recursive: true });
  await writeFile(join(site.empty, name), 'earlier');
  await cp(site.backup, join(site.empty, 'unrelated'), { recursive: true });
  const before = await readTree(site.empty);
  expect(await restore()).toEqual(refusal(message));
  expect(await readTree(site.empty)).toEqual(before);
});

test('restore leaves a database that a server has made meanwhile, and nothing beside it', async () => {
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

test('restore refuses to begin while another restore runs', async () => {
  const staging = join(site.empty, 'document-analysis-uk-restore');
  await mkdir(staging, { recursive: true });
  const other = new Sqlite(join(staging, 'lock'));
  other.exec('BEGIN EXCLUSIVE');
  expect(await restore()).toEqual(refusal(/another restore is writing/));
  other.close();
  expect(await restore()).toMatchObject({ exitCode: 0 });
});

// Only a process that may mount, as root may, has one.
const onSmallDisk = SmallDisk.missing() === undefined ? test : test.skip;
const large = ['x'.repeat(1024 ** 2)];
const many = Array.from({ length: 150 }, (_, index) => `content ${index}`);
const backUp = () => site.cli.run(['backup', join(site.empty, 'backup')]);
onSmallDisk.each([
  ['backup', 'full', large, backUp, /^error: The backup \S+ cannot be written: ENOSPC: .*Free disk space/],
  ['restore', 'too small', large, restore, /the disk of \S+ has only \d+ free\. Free disk space/],
  ['restore', 'too full', many, restore, /cannot be written: ENOSPC/],
] as const)('a %s on a disk that is %s changes nothing', async (_, _state, contents, run, message) => {
  site = await startBackedUp([...contents]);
  const disk = new SmallDisk(site.empty, 1);
  try {
    expect(await run()).toEqual(refusal(message));
    expect(await readdir(site.empty)).toEqual([]);
  } finally {
    disk.unmount();
  }
});
