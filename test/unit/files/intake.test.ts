import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { ContentFolderError, ContentStore } from '../../../src/files/content-store.ts';
import { type Intake, openIntake, RefusedFileError } from '../../../src/files/intake.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

let folder: TemporaryFolder;
let store: ContentStore;
let intake: Intake;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
  store = new ContentStore(join(folder.path, 'data', 'files'));
  intake = await openIntake(store, 1000);
});

const sha256 = (content: string) => createHash('sha256').update(content).digest();

async function keep(content: string): Promise<string> {
  const taken = await intake.take(await folder.write('a.txt', content));
  await store.keep(taken.path, taken.sha256);
  return store.pathOf(taken.sha256);
}

test('taking a file in tells a fault of its own folder from one of the file', async () => {
  const path = await folder.write('a.txt', 'text');
  await intake.close();
  await expect(intake.take(path)).rejects.toThrow(ContentFolderError);
  await expect(intake.write('thumbnail', new Uint8Array([1]))).rejects.toThrow(ContentFolderError);
  await expect(intake.take(`${path}.gone`)).rejects.toMatchObject({ code: 'ENOENT', path: `${path}.gone` });
});

const large = async (bytes: number) => {
  const path = await folder.write('large.txt', 'a');
  await truncate(path, bytes);
  return path;
};
const tooLarge = 'it is larger than 1000 bytes; MAX_FILE_BYTES can allow more';
const pipe = () => {
  execFileSync('mkfifo', [join(folder.path, 'pipe')]);
  return join(folder.path, 'pipe');
};
type Refused = [string, () => string | Promise<string>, reason: string, copies: number];
/** Its size is 0. */
const endless: Refused[] = [['a larger file than it said', () => '/proc/cpuinfo', tooLarge, 1]];
test.each<Refused>([
  ['a file that is too large', () => large(1001), tooLarge, 0],
  ['a file that is far too large', () => large(2 ** 40), tooLarge, 0],
  ...(existsSync('/proc/cpuinfo') ? endless : []),
  ['a folder', () => folder.path, 'it is a directory; name the files in it', 0],
  ['a pipe, without waiting for its writer', pipe, 'it is no regular file', 0],
  ['an empty file', () => folder.write('a.txt', ''), 'it is empty', 1],
])('taking a file in refuses %s', async (_, make, reason, copies) => {
  expect(await intake.take(await folder.write('most.txt', 'a'.repeat(1000)))).toMatchObject({ bytes: 1000 });
  const before = await readdir(store.incomingFolder, { recursive: true });
  await expect(intake.take(await make())).rejects.toEqual(new RefusedFileError(reason));
  expect(await readdir(store.incomingFolder, { recursive: true })).toHaveLength(before.length + copies);
});

test('taking a file in removes what crashes left a day ago, and nothing of a process that runs, though the clock was set forward', async () => {
  const { pid } = spawnSync('true');
  const running = basename(dirname((await intake.take(await folder.write('a.txt', 'text'))).path));
  const ended = running.replace(`.${process.pid}.`, `.${pid}.`);
  for (const [name, hours] of [
    [running, 25],
    [ended, 25],
    ['old', 25],
    ['young', 23],
  ] as const) {
    const path = join(store.incomingFolder, name);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'file'), 'content');
    const at = new Date(Date.now() - hours * 3_600_000);
    await utimes(path, at, at);
  }
  await (await openIntake(store, 1000)).close();
  expect((await readdir(store.incomingFolder)).sort()).toEqual([running, 'young'].sort());
});

// Root alone can give a folder to another user.
(process.getuid?.() === 0 ? test : test.skip)(
  'refuses to add what the user of the files could not read, and leaves nothing there',
  async () => {
    const files = dirname(store.incomingFolder);
    await intake.close();
    await chown(files, 65_534, 65_534);
    await expect(openIntake(store, 1000)).rejects.toThrow(
      new ContentFolderError(
        `The folder ${files} belongs to the user 65534, and what is added would belong to the user 0: the server could ` +
          'not read it. Run the command as the user of the server. Nothing was added.',
      ),
    );
    expect(await readdir(files)).toEqual([]);
  },
);

test('stored content is readable by its owner alone, and not given out if it is damaged, but replaced when it comes in again', async () => {
  const path = await keep('content');
  const places = [path, join(path, '..'), join(path, '..', '..'), store.incomingFolder];
  const modes = await Promise.all(places.map(async (of) => ((await stat(of)).mode & 0o777).toString(8)));
  expect(modes).toEqual(['600', '700', '700', '700']);
  const { ino } = await stat(path);
  expect([await keep('content'), await store.verified(sha256('content'))]).toEqual([path, path]);
  expect((await stat(path)).ino).toBe(ino);
  await writeFile(path, 'CONTENT');
  expect(await store.verified(sha256('content'))).toBeUndefined();
  await keep('content');
  expect(await store.verified(sha256('content'))).toBe(path);
});
