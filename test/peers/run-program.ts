import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { endWithThisProcess } from './ending.ts';

/** Many times what each takes on an idle machine. */
const timeoutSeconds = 400;

/** How a program has ended, and what it wrote, without colours. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/**
 * Runs a program to its end. What is secret goes into its environment.
 * @throws {Error} if it does not end in time
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment, FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  endWithThisProcess(child);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [output, errors, [code]] = (await ended) as [string, string, [number | null]];
  if (code === null) throw new Error(`${command} has not ended within ${timeoutSeconds} s`);
  return { code, output: stripVTControlCharacters(output + errors) };
}

/** The first complaint of a program that tells by its exit code whether there is one. */
export function complaintOf({ code, output }: Ended, pattern: RegExp): string | undefined {
  if (code === 0) return undefined;
  const [, told] = pattern.exec(output) ?? [];
  return told?.trim() ?? `exit code ${code}: ${output.trim().split('\n').at(-1) ?? ''}`;
}
