import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface CommandOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly timeoutSeconds?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a command to its end, or ends it after so many seconds, and gives what it wrote to stdout.
 * @throws {Error} if it is not there, fails or takes too long; the message ends with what it wrote
 */
export async function runCommand(
  [command = '', ...args]: readonly string[],
  { cwd, input = '', timeoutSeconds = 300, environment = {} }: CommandOptions,
): Promise<string> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { cwd, env, timeout: timeoutSeconds * 1000, killSignal: 'SIGKILL' });
  // A command that fails at its start closes its stdin; its exit code tells more than that does.
  child.stdin.on('error', () => undefined).end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [output, errors, [code, signal]] = (await ended) as [string, string, [number | null, string | null]];
  if (code === 0) return output;
  const how =
    code === null ? `was ended by ${String(signal)}, after at most ${timeoutSeconds} s` : `ended with ${code}`;
  throw new Error(`${command} ${how}\n${(output + errors).trim().split('\n').slice(-15).join('\n')}`);
}
