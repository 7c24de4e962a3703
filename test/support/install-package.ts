import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../generators/command.ts';

const installSeconds = 300;

/** Installs a folder's own packages as its `package-lock.json` names them, if that has changed since they were. */
export async function installPackage(folder: string): Promise<void> {
  const changedAt = (file: string) =>
    stat(join(folder, file)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  if ((await changedAt('node_modules/.package-lock.json')) > (await changedAt('package-lock.json'))) return;
  console.log(`Installing the packages of ${folder}`);
  await runCommand(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    timeoutSeconds: installSeconds,
  });
}
