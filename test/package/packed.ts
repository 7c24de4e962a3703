/** A package as its user gets it: packed, and unpacked into a project of its own beside nothing but its dependencies. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

export const run = promisify(execFile);

/** Where a program that judges packages is installed. */
export const tool = (name: string): string => join(import.meta.dirname, 'node_modules/.bin', name);

interface Manifest extends Record<'name' | 'version', string> {
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}

export const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

export type PackageUser = Awaited<ReturnType<typeof installForUser>>;

/** The folders of the packages. The server's comes first: packing it builds the others too. */
export const folders = ['.', 'contract', 'client'] as const;

/** Where the suite's set-up leaves the tarballs. */
export const tarballs = 'reports/packages';

/** Unpacks the package of a folder into a project of its own. */
export async function installForUser(folder: (typeof folders)[number]) {
  /** The folder of the project that has installed the package. */
  const project = await makeTemporaryFolder();
  const manifest = await manifestOf(folder);
  const tarball = resolve(tarballs, `${manifest.name}-${manifest.version}.tgz`);
  const list = (await run('tar', ['-tzf', tarball])).stdout.trim().split('\n');
  /** The package's files. */
  const packed = list.map((path) => path.replace('package/', ''));
  /** The folder of the package in the project. */
  const installed = join(project, 'node_modules', manifest.name);
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '--directory', installed]);
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
    await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'a-user', type: 'module' }));
  return { tarball, project, installed, packed, manifest };
}

/** The files that the table of a package in a guide does not name, and what it names in vain. */
export function compareWithGuide(packed: readonly string[], guide: string): { unnamed: string[]; absent: string[] } {
  const [, section = ''] = guide.split(/^## What the packages? holds?$/m);
  const named = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  );
  const isIn = (path: string, place: string) =>
    place.endsWith('/') ? path.startsWith(place) : matchesGlob(path, place);
  return {
    unnamed: packed.filter((path) => !named.some((place) => isIn(path, place))),
    absent: named.filter((place) => !packed.some((path) => isIn(path, place))),
  };
}
