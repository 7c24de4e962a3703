/** When `npm run build` has nothing to do. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { digestOf, inputs } from '../../scripts/build/steps.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'document-analysis-build-'));
  mkdirSync(join(folder, 'src/inner'), { recursive: true });
  mkdirSync(join(folder, 'src/node_modules'), { recursive: true });
  write('src/a.ts', 'one');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (path: string, text: string) => {
  writeFileSync(join(folder, path), text);
};
const digest = () => digestOf([join(folder, 'src'), join(folder, 'absent')], ['node_modules']);

test.each<[change: string, make: () => void]>([
  [
    'another content',
    () => {
      write('src/a.ts', 'two');
    },
  ],
  [
    'a new file, deep inside',
    () => {
      write('src/inner/b.ts', '');
    },
  ],
  [
    'a hidden file',
    () => {
      write('src/.hidden', '');
    },
  ],
  [
    'another name',
    () => {
      rmSync(join(folder, 'src/a.ts'));
      write('src/b.ts', 'one');
    },
  ],
  [
    'a file that was missing',
    () => {
      write('absent', '');
    },
  ],
])('the digest of files changes with %s', (_change, make) => {
  const before = digest();
  expect(digest()).toBe(before);
  make();
  expect(digest()).not.toBe(before);
});

test('it leaves out what is skipped', () => {
  const before = digest();
  write('src/node_modules/a.js', '');
  expect(digest()).toBe(before);
});

test('the inputs of the build hold every module that the program and the scripts of the build import', async () => {
  const { metafile } = await build({
    entryPoints: [
      ...['src/main.ts', 'src/cli/program.ts', 'client/index.ts', 'contract/main.ts'],
      ...[
        'scripts/build.ts',
        'scripts/docs/main.ts',
        'scripts/build/bundle-client.ts',
        'scripts/build/bundle-contract.ts',
      ],
    ],
    outdir: folder,
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
  expect(Object.keys(metafile.inputs).filter((path) => !isInput(path))).toEqual([]);
});
