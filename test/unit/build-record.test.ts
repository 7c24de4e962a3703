/** When `npm run build` has nothing to do. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { digestOf } from '../../scripts/build/build-once.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  write('src/a.ts', 'one');
});
const digest = () => digestOf([join(folder, 'src'), join(folder, 'absent')], ['node_modules']);

test.each([
  ['another content', 'src/a.ts', 'two'],
  ['a new file, deep inside', 'src/inner/b.ts', ''],
  ['a hidden file', 'src/.hidden', ''],
  ['a file that was missing', 'absent', ''],
])('the digest of files changes with %s', (_change, path, text) => {
  const before = digest();
  expect(digest()).toBe(before);
  write(path, text);
  expect(digest()).not.toBe(before);
});

test('the digest of files changes with another name, and leaves out what is skipped', () => {
  const before = digest();
  write('src/node_modules/a.js', '');
  expect(digest()).toBe(before);
  renameSync(join(folder, 'src/a.ts'), join(folder, 'src/b.ts'));
  expect(digest()).not.toBe(before);
});
