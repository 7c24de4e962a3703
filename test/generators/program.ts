import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from './observed.ts';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';

/** Where the generators are installed and called. */
export const folder = import.meta.dirname;

/** Where the generated clients go, each into a folder that is named after its generator. */
export const outputFolder = join(folder, 'out');

/** The programs that call with the generated clients. */
export const callers = join(folder, 'callers');

/** A file of one of the installed generators. */
export const installedFile = (path: string): string => join(folder, 'node_modules', path);

/** The documents that `npm run docs` wrote, as they are published. */
export const publishedFolder = join(folder, '../../dist/docs');

const timeoutSeconds = 300;

interface CommandOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a command to its end, or ends it after five minutes, and gives what it wrote to stdout.
 * @throws {Error} if it is not there, fails or takes too long; the message ends with what it wrote
 */
export async function runCommand(
  [command = '', ...args]: readonly string[],
  { cwd, input = '', environment = {} }: CommandOptions,
): Promise<string> {
  const env = { ...process.env, MONO_PATH: facades, ...environment };
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

/** Runs a program that reads the target from stdin, calls, and prints what it saw, both as JSON. */
export async function callWithProgram(command: readonly string[], target: CallTarget): Promise<Observed> {
  const input = JSON.stringify({ ...target, unknown_case_id: unknownCaseId, unknown_key: unknownKey });
  return JSON.parse(await runCommand(command, { cwd: folder, input })) as Observed;
}

/** True if a command can be run on this machine. */
export function isHere(...command: string[]): Promise<boolean> {
  return runCommand(command, { cwd: folder }).then(
    () => true,
    () => false,
  );
}

/** NSwag for .NET Framework, which is what Mono implements: Debian has no package of .NET. */
export const nswagFolder = installedFile('nswag/bin/binaries/Win');

const place = 'usr/lib/mono/4.5/Facades';
const downloads = installedFile('.cache/mono');

/** Where the assemblies are by which Mono finds what was compiled for .NET Standard: it is told by MONO_PATH. */
const facades = existsSync(join('/', place)) ? join('/', place) : join(downloads, place);

/** What NSwag and the caller use of Mono; Debian splits it into many packages. */
const assemblies = [
  'System.ComponentModel.DataAnnotations',
  'System.Data',
  'System.Net.Http',
  'System.Runtime.Serialization',
  'System.Xml.Linq',
];
const debianPackages = [
  'mono-mcs',
  'mono-runtime',
  ...assemblies.map((name) => `libmono-${name.toLowerCase().replaceAll('.', '-')}4.0-cil`),
];

/** What this machine lacks of Mono; undefined if nothing. */
export async function lacksMono(): Promise<string | undefined> {
  const isInstalled = assemblies.every((name) => existsSync(`/usr/lib/mono/4.5/${name}.dll`));
  if (!isInstalled || !(await isHere('mcs', '--version'))) return `Mono (Debian: ${debianPackages.join(', ')})`;
  if (!existsSync(facades)) await downloadFacades().catch(() => undefined);
  return existsSync(facades)
    ? undefined
    : 'folder of assemblies by which Mono runs what is made for .NET Standard (Debian: mono-devel)';
}

/** Unpacks them from Debian's mono-devel, which would install 136 packages and 177 MB. */
async function downloadFacades(): Promise<void> {
  await mkdir(downloads, { recursive: true });
  await runCommand(['apt-get', 'download', 'mono-devel'], { cwd: downloads });
  const unpack = `for package in mono-devel_*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x ./${place}; rm "$package"; done`;
  await runCommand(['sh', '-c', unpack], { cwd: downloads });
}
