import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * The licences that must be distributed with the bundled packages, one section per package.
 * @throws {Error} if a package names none
 */
export async function licencesOf({ outputs }: Metafile): Promise<string> {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const sections = await Promise.all([...folders].map(licenceOf));
  return `${sections.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  if (license === undefined && files.length === 0) throw new Error(`The package ${name} names no licence.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const heading = license === undefined ? `${name} ${version}` : `${name} ${version} (${license})`;
  return [heading, ...texts.map((text) => text.trim())].join('\n\n');
}
