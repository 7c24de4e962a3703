/** When `npm run build` has nothing to do. */
/** The build context has every module of the build, and no secret; `npm test -- image` builds with it. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { digestOf } from '../../scripts/build/build-once.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { inputs } from '../../scripts/build.ts';
import { contextFiles, ignoreRules } from '../image/context.ts';

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
