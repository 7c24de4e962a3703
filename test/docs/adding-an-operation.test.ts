/** The guide's diff is real: applied to a copy of this project, it compiles and its tests pass. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, test } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'document-analysis-'));
const guide = readFileSync(join(root, 'docs/adding-an-operation.md'), 'utf8');
const sources =
  /^(bench|contract|generated|openapi|scripts|src|test|CHANGELOG\.md|\.gitignore|[\w.-]+\.(js|json|yaml))$/;

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
}

beforeAll(() => {
  for (const each of readdirSync(root).filter((name) => sources.test(name)))
    cpSync(join(root, each), join(copy, each), { recursive: true, filter: (path) => !path.endsWith('/node_modules') });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const diff = [...guide.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, block]) => block).join('');
  writeFileSync(join(copy, 'operation.diff'), diff);
  run('git', 'apply', '--recount', 'operation.diff');
  run('npm', 'run', 'generate');
}, 120_000);

afterAll(() => {
  rmSync(copy, { recursive: true });
});

test('compiles', () => {
  run('npm', 'run', 'typecheck');
}, 120_000);

test('passes its tests', () => {
  run('npm', 'test', '--', '--coverage=false', 'test/contract/get-case-analysis-status', 'documented-answers');
}, 120_000);
