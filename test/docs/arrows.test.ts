/** The lint rules that hold the packages apart: each is seen to refuse what it is there for, and nothing else. */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { TemporaryFolder } from '../support/temporary-folder.ts';

/** Files, each with what it imports, and the rule that refuses it. */
const files: readonly (readonly [file: string, source: string, rule?: string])[] = [
  ['src/api/a.ts', "export { b } from '../../contract/b.ts';", 'no-restricted-imports'],
  ['src/api/c.ts', "export { b } from '../../client/b.ts';", 'no-restricted-imports'],
  ['src/d.ts', "export { b } from 'document-analysis-contract';", 'no-restricted-imports'],
  ['src/e.ts', "export const b = import('../contract/b.ts');", 'no-restricted-imports'],
  ['contract/plan/a.ts', "export { b } from '../../src/b.ts';", 'no-restricted-imports'],
  ['contract/c.ts', "export { b } from '../client/b.ts';", 'no-restricted-imports'],
  ['contract/d.ts', "export { b } from '../scripts/b.ts';", 'no-restricted-imports'],
  ['client/a.ts', "export { b } from '../src/b.ts';", 'no-restricted-imports'],
  ['client/c.ts', "export { b } from '../contract/b.ts';", 'no-restricted-imports'],
  ['src/one.ts', "import type { Other } from './other.ts';\nexport type One = Other | 1;", 'no-cycle'],
  ['src/other.ts', "import type { One } from './one.ts';\nexport type Other = One | 2;", 'no-cycle'],
  ['scripts/a.ts', "export { b } from '../contract/b.ts';\nexport { b as c } from '../src/b.ts';"],
  ['test/a.ts', "export { b } from '../client/b.ts';"],
  ...['src/b.ts', 'contract/b.ts', 'client/b.ts', 'scripts/b.ts'].map((file) => [file, 'export const b = 1;'] as const),
];

test('an import that the arrows between the packages forbid is refused, also at run time or in a circle of types', async () => {
  const folder = await TemporaryFolder.make();
  copyFileSync('.oxlintrc.json', join(folder.path, '.oxlintrc.json'));
  for (const [file, source] of files) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await folder.write(file, `${source}\n`);
  }
  const env = { ...process.env, PATH: `${resolve('scripts/lint/node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
  const { stdout } = spawnSync('oxlint', ['--format', 'unix'], { cwd: folder.path, env, encoding: 'utf8' });
  const found = [...stdout.matchAll(/^([^:]+):1:\d+: .*?(no-restricted-imports|no-cycle)/gm)];
  expect(found.map(([, file, rule]) => `${file} ${rule}`).sort()).toEqual(
    files.flatMap(([file, , rule]) => (rule === undefined ? [] : [`${file} ${rule}`])).sort(),
  );
});
