/** When `npm run build` has nothing to do, and what is in the build context, which `npm test -- image` builds with. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { digestOf } from '../../scripts/build/build-once.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { inputs } from '../../scripts/build.ts';
import { contextFiles, ignoreRules } from '../image/context.ts';

let folder: string;
const write = async (path: string, text: string) => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
};
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await write('src/a.ts', 'one');
});
const digest = () => digestOf([join(folder, 'src'), join(folder, 'absent')], ['node_modules']);

test.each([
  ['another content', () => write('src/a.ts', 'two')],
  ['a new file, deep inside', () => write('src/inner/b.ts', '')],
  ['a hidden file', () => write('src/.hidden', '')],
  ['a file that was missing', () => write('absent', '')],
  ['another name', () => rename(join(folder, 'src/a.ts'), join(folder, 'src/b.ts'))],
])('the digest of files changes with %s, and not with what is skipped', async (_what, change) => {
  const before = digest();
  await write('src/node_modules/a.js', '');
  expect(digest()).toBe(before);
  await change();
  expect(digest()).not.toBe(before);
});

const context = contextFiles('.');
const ignored = ignoreRules('.');
const isThere = (path: string) => context.some((file) => file === path || file.startsWith(`${path}/`));

test('every module that the program and the scripts of the build import is one of its inputs, and in the context', async () => {
  const scripts = ['build.ts', 'docs/main.ts', 'build/bundle.ts', 'build/bundle-client.ts', 'build/bundle-contract.ts'];
  const { metafile } = await build({
    entryPoints: [
      ...['src/main.ts', 'src/cli/program.ts', 'client/index.ts', 'contract/main.ts'],
      ...scripts.map((path) => `scripts/${path}`),
    ],
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    external: ['#*'],
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const isInput = (path: string) => inputs.some((input) => path === input || path.startsWith(`${input}/`));
  const modules = Object.keys(metafile.inputs);
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter((path) => !isInput(path) || !isThere(path))).toEqual([]);
});

test.each([
  ...['.env', '.git/config', 'data/document-analysis-uk.sqlite', 'deploy/secrets/proxy.pem', 'dist/main.js'],
  ...['node_modules/pg/package.json', 'scripts/node_modules/redoc/package.json'],
])('the build context has no %s', (path) => {
  expect(ignored(path)).toBe(true);
});
