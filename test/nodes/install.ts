import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Node.js beside the repository's own. */
export interface InstalledNode {
  readonly version: string;
  /** A shell for npm's `script-shell`, whose scripts find this Node.js first. */
  readonly shell: string;
}

/** Installs the newest release of a major from npm below `reports/nodes/`, out of the tree of the packages. */
export async function installNode(root: string, major: string): Promise<InstalledNode> {
  const folder = join(root, 'reports/nodes', major);
  await mkdir(folder, { recursive: true });
  // The package fetches its binary by an install script.
  const manifest = { private: true, dependencies: { node: major }, allowScripts: { node: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], { cwd: folder }).catch(
    (error: unknown) => {
      throw new Error(`Node.js ${major} cannot be installed: ${(error as { stderr: string }).stderr}`);
    },
  );
  const bin = join(folder, 'node_modules/node/bin');
  const { stdout } = await run(join(bin, 'node'), ['--version']);
  const shell = join(folder, 'shell');
  await writeFile(shell, `#!/bin/sh\nPATH='${bin.replaceAll("'", `'\\''`)}':"$PATH"\nexport PATH\nexec sh "$@"\n`);
  await chmod(shell, 0o755);
  return { version: stdout.trim(), shell };
}
