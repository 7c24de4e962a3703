import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** An npm script that `npm run build` runs. */
export interface BuildStep {
  readonly doing: string;
  /** The folder of the package that has the script. */
  readonly folder: string;
  readonly script: string;
}

/** The steps are independent: each writes to its own folder, and none reads another's output. */
export const steps: readonly BuildStep[] = [
  { doing: 'documentation', folder: '.', script: 'build:docs' },
  { doing: 'server', folder: '.', script: 'build:server' },
  { doing: 'contract suite', folder: 'contract', script: 'build' },
  { doing: 'client', folder: 'client', script: 'build' },
];

/** The files that the steps read, in addition to the installed packages. */
export const inputs = [
  'CHANGELOG.md',
  'README.md',
  'bench/results',
  'client',
  'contract',
  'docs',
  'generated',
  'openapi',
  'package.json',
  'redocly.yaml',
  'scripts',
  'src',
  'tsconfig.json',
];

/** npm's records of the installed packages. */
export const installed = ['node_modules/.package-lock.json', 'scripts/node_modules/.package-lock.json'];

/** The folders that the steps write. */
export const outputs = ['dist', 'contract/dist', 'client/dist'];

/** The SHA-256 of the names and contents of files, and of all files below folders; missing files count too. */
export function digestOf(paths: readonly string[], skipped: readonly string[] = []): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesAt(path, skipped))) {
    const content = readFileSync(file);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesAt(path: string, skipped: readonly string[]): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || skipped.includes(basename(path))) return [];
  if (stats.isFile()) return [path];
  if (!stats.isDirectory()) return [];
  const byName = (one: Dirent, other: Dirent) => (one.name < other.name ? -1 : 1);
  const entries = readdirSync(path, { withFileTypes: true }).sort(byName);
  return entries.flatMap(({ name }) => filesAt(join(path, name), skipped));
}
