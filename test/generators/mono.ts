/** Mono, on which NSwag and its clients run where .NET is not to be had: Debian has no package of .NET. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { installedFile } from './folders.ts';
import { isHere } from './program.ts';

/** NSwag for .NET Framework, which is what Mono implements. */
export const nswagFolder = installedFile('nswag/bin/binaries/Win');

const place = 'usr/lib/mono/4.5/Facades';
const downloads = installedFile('.cache/mono');

/** Where the assemblies are by which Mono finds what was compiled for .NET Standard. */
const facades = existsSync(join('/', place)) ? join('/', place) : join(downloads, place);

/** What Mono needs to know for a program that was compiled for .NET Standard. */
export const monoEnvironment = { MONO_PATH: facades };

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
