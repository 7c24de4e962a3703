import { join } from 'node:path';
import type { Target } from '../../contract/run/model.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..');

/** The description as one JSON file, which every tool can read. */
export const documentFile = join(root, 'generated/openapi.json');

/** What a package of this folder brings. */
export function installed(path: string): string {
  return join(import.meta.dirname, 'node_modules', path);
}

/** What Dredd complains of. */
export const dreddComplaint = /^fail: (.*)\n(?=fail: (?:body|headers|statusCode))/m;

/** A tool that tests a server, set up as its authors advise. */
export interface Peer {
  readonly name: string;
  /** Its own name, and how it is run. */
  readonly title: string;
  /** The folders of its packages, from the root of the repository. */
  readonly packages: readonly string[];
  /** What had to be written for this API, from the root of the repository. */
  readonly written: readonly string[];
  /** What it needs that no package brings: a command that must succeed. */
  readonly needs?: readonly string[];
  /**
   * Tests a server in an empty folder of its own, and returns the first complaint; nothing if there is none.
   * @throws {Error} if it has come to no verdict
   */
  judge(target: Target, folder: string): Promise<string | undefined>;
}

/** What a tool has said of a server. */
export interface PeerResult {
  readonly peer: string;
  readonly version: string;
  /** The mutant or harmless variant; `none` is the server as it is. */
  readonly server: string;
  /** The tool's first complaint, if it has one. */
  readonly complaint?: string;
  /** Why there is no verdict. */
  readonly problem?: string;
  readonly requests: number;
  readonly seconds: number;
}

/** Ends a program with this process, if it has not ended before. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  void once(child, 'close').finally(() => process.off('exit', end));
}

/** Many times what each takes on an idle machine. */
const timeoutSeconds = 400;

/** How a program has ended, and what it wrote, without colours. */
interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end. What is secret goes into its environment. @throws {Error} if it does not end in time */
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

/** What a program complains of first, if it tells by its exit code whether there is anything. */
export async function complaintOf(
  pattern: RegExp,
  ...program: Parameters<typeof runProgram>
): Promise<string | undefined> {
  const { code, output } = await runProgram(...program);
  if (code === 0) return undefined;
  const [, told] = pattern.exec(output) ?? [];
  return told?.trim() ?? `exit code ${code}: ${output.trim().split('\n').at(-1) ?? ''}`;
}
