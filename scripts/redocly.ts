import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';

const program = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

/** Runs Redocly in the project's folder. Resolves to its output if it fails, else to an empty string. */
export function redocly(...args: string[]): Promise<string> {
  const environment = { ...process.env, NO_COLOR: '1', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: environment }, (error, stdout, stderr) => {
      resolve(error ? stdout.trim() || stderr.trim() || error.message : '');
    });
  });
}
