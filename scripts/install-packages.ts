/** `node scripts/install-packages.ts FOLDER...`: installs packages that only one job needs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Installs the packages in a folder's `package-lock.json`, unless they are installed. A `node_modules` that is a link
 * belongs to another checkout, and npm would remove its packages.
 * @throws {Error} if npm fails; its output goes to stderr
 */
export async function installPackages(folder: string): Promise<void> {
  const changedAt = (file: string) =>
    stat(join(folder, file)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const installed = await lstat(join(folder, 'node_modules')).catch(() => undefined);
  if (installed?.isSymbolicLink() === true) return;
  if ((await changedAt('node_modules/.package-lock.json')) > (await changedAt('package-lock.json'))) return;
  console.error(`Installing the packages of ${folder}/`);
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 300_000,
  });
  const [code] = (await once(npm, 'close')) as [number | null];
  if (code !== 0) throw new Error(`npm ci has failed in ${folder}/`);
}

if (import.meta.main) await Promise.all(process.argv.slice(2).map(installPackages));
