import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../test/generators/command.ts';
import { folders } from './folders.ts';

const installSeconds = 300;

/** Installs the peers as `bench/package-lock.json` names them, if that has changed since they were. */
export async function installPeers(): Promise<void> {
  const changedAt = (file: string) =>
    stat(join(folders.bench, file)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  if ((await changedAt('node_modules/.package-lock.json')) > (await changedAt('package-lock.json'))) return;
  console.log('Installing the peers (npm ci in bench/)');
  await runCommand(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folders.bench,
    timeoutSeconds: installSeconds,
  });
}
