import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a command in a folder and returns its stdout, without the last line break. */
export type Run = (command: string, ...args: string[]) => Promise<string>;

/** @throws {Error} if a command fails; the message ends with its output */
export function runIn(folder: string): Run {
  return async (command, ...args) => {
    try {
      const { stdout } = await promisify(execFile)(command, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
      return stdout.trimEnd();
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
      const output = `${stdout}${stderr}`.trim() || message;
      throw new Error(`\`${[command, ...args].join(' ')}\` failed:\n${output}`, { cause: error });
    }
  };
}

export const run = runIn('.');
