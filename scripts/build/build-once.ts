import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Builds, unless a note shows that inputs and outputs are those of the last build. The inputs' digest is taken before
 * the build, so that a change during it causes another build.
 * @returns the result of the build; undefined if there was nothing to build
 */
export async function buildOnce<T>(
  { note, inputs, outputs }: { note: string; inputs: string; outputs: readonly string[] },
  build: () => Promise<T>,
): Promise<T | undefined> {
  const record = () => `${inputs} ${digestOf(outputs)}`;
  if (existsSync(note) && readFileSync(note, 'utf8') === record()) return undefined;
  // The next build builds even if this one fails.
  rmSync(note, { force: true });
  const built = await build();
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, record());
  return built;
}

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
  const names = readdirSync(path).sort();
  return names.flatMap((name) => filesAt(join(path, name), skipped));
}
