/** The lint rules that hold the packages apart: each is seen to refuse what it is there for. */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
  copyFileSync('.oxlintrc.json', join(folder.path, '.oxlintrc.json'));
});
afterEach(() => folder.remove());

async function plant(files: Record<string, string>): Promise<string> {
  for (const [path, source] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await folder.write(path, source);
  }
  const env = { ...process.env, PATH: `${resolve('scripts/lint/node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
  return spawnSync('oxlint', ['--format', 'unix'], { cwd: folder.path, env, encoding: 'utf8' }).stdout;
}

test.each([
  ['src/api/a.ts', '../../contract/b.ts'],
  ['src/api/a.ts', '../../client/b.ts'],
  ['src/a.ts', 'document-analysis-contract'],
  ['contract/plan/a.ts', '../../src/b.ts'],
  ['contract/a.ts', '../client/b.ts'],
  ['contract/a.ts', '../scripts/b.ts'],
  ['client/a.ts', '../src/b.ts'],
  ['client/a.ts', '../contract/b.ts'],
])('%s may not import %s', async (file, imported) => {
  const found = await plant({
    [file]: `export { b } from '${imported}';\n`,
    'src/b.ts': 'export const b = 1;\n',
    'contract/b.ts': 'export const b = 1;\n',
    'client/b.ts': 'export const b = 1;\n',
    'scripts/b.ts': 'export const b = 1;\n',
  });
  expect(found).toMatch(new RegExp(`^${file}:1:1: .*no-restricted-imports`, 'm'));
});

test('an import at run time is refused, too', async () => {
  const found = await plant({
    'src/a.ts': "export const b = import('../contract/b.ts');\n",
    'contract/b.ts': 'export {};\n',
  });
  expect(found).toContain('no-restricted-imports');
});

test('files may not import each other in a circle, not even for types', async () => {
  const found = await plant({
    'src/a.ts': "import type { B } from './b.ts';\nexport type A = B | 1;\n",
    'src/b.ts': "import type { A } from './a.ts';\nexport type B = A | 2;\n",
  });
  expect(found).toContain('no-cycle');
});

test('scripts and tests may import each package', async () => {
  const found = await plant({
    'scripts/a.ts': "export { b } from '../contract/b.ts';\nexport { c } from '../src/c.ts';\n",
    'contract/b.ts': 'export const b = 1;\n',
    'src/c.ts': 'export const c = 1;\n',
  });
  expect(found).not.toMatch(/restricted|cycle/);
});
