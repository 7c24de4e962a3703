/** Runs the tools that the suite is compared with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';

/** Ends a program with this process, if it has not ended before. */
function endWithThisProcess(child: ChildProcess): void {
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

/** What Dredd complains of first. */
export async function dreddComplaint(...program: Parameters<typeof runProgram>): Promise<string | undefined> {
  const { code, output } = await runProgram(...program);
  if (code === 0) return undefined;
  const [, told] = /^fail: (.*)\n(?=fail: (?:body|headers|statusCode))/m.exec(output) ?? [];
  return told?.trim() ?? `exit code ${code}: ${output.trim().split('\n').at(-1) ?? ''}`;
}

/** Runs `prism proxy DOCUMENT URL --errors` before a server for as long as a client takes. */
export async function proxied<T>(
  server: string,
  folder: string,
  document: string,
  client: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const program = join(import.meta.dirname, 'prism/node_modules/@stoplight/prism-cli/dist/index.js');
  const args = [program, 'proxy', document, server, '--errors', '--port', String(port)];
  const proxy = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  endWithThisProcess(proxy);
  const closed = once(proxy, 'close');
  try {
    await listening(proxy.stdout);
    return await client(`http://127.0.0.1:${port}`);
  } finally {
    proxy.kill('SIGKILL');
    await closed;
  }
}

function listening(output: Readable): Promise<void> {
  let written = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes('Prism is listening')) resolve();
    });
    output.on('end', () => {
      reject(new Error(`Prism has not started: ${written}`));
    });
  });
}
