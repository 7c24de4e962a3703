import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

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
