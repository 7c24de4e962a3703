/**
 * npm puts `node_modules/.bin`, and so the repository's own Node.js, first in the PATH of every script. Its setting
 * `script-shell` comes after that, and reaches scripts that call npm again.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { InstalledNode } from './install.ts';

const environment = (shell: string) => ({ ...process.env, npm_config_script_shell: shell });

/** Runs npm with a Node.js in its scripts, and returns the exit code. */
export async function runWith({ shell }: InstalledNode, cwd: string, args: string[]): Promise<number> {
  const child = spawn('npm', args, { cwd, env: environment(shell), stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

/** The version that a command run by npm sees. Any other than the installed one is an error. */
export async function versionWith({ shell, version }: InstalledNode, cwd: string): Promise<string> {
  const args = ['exec', '--call', 'node --print process.version'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env: environment(shell) });
  if (stdout.trim() !== version)
    throw new Error(`npm runs ${stdout.trim()} in place of the installed Node.js ${version}`);
  return version;
}
