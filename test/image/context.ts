/** The build context: what `.dockerignore` leaves of the checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import dockerignore from '@balena/dockerignore';

/** Whether `.dockerignore` keeps a file out of the context. */
export function ignoreRules(root: string): (path: string) => boolean {
  const rules = dockerignore.default().add(readFileSync(join(root, '.dockerignore'), 'utf8'));
  return (path) => rules.ignores(path);
}

/** The files of the context, without those that git ignores: a clean checkout has none of them. */
export function contextFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const ignored = ignoreRules(root);
  const paths = listed.toString().split('\0');
  return paths.filter((path) => path !== '' && existsSync(join(root, path)) && !ignored(path));
}

/** Copies the context into a folder. */
export async function copyContext(root: string, folder: string): Promise<void> {
  for (const path of contextFiles(root)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path), { verbatimSymlinks: true });
  }
}
