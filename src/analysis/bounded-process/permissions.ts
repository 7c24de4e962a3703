/** What a bounded job is allowed, in the words of Node's permission model. All else is refused to its process. */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The sources, or the folder of the build. */
const program = fileURLToPath(new URL(extname(import.meta.url) === '.ts' ? '../..' : '.', import.meta.url));

/**
 * Flags of Node.js that allow nothing but to read the program, the folder of the job and packages. No worker thread: Node.js
 * restricts none.
 * @param job the file of its module
 * @param packages their names; one that the build contains is not installed
 * @param addons whether compiled code may be loaded
 */
export function permissionsOf(job: string, packages: readonly string[], addons: boolean): string[] {
  const own = job.startsWith(program) ? [program] : [program, dirname(job)];
  const folders = new Set([...own, ...packages.flatMap((name) => foldersOf(name, import.meta.url, packages))]);
  return [
    '--permission',
    ...[...folders].map((folder) => `--allow-fs-read=${folder.endsWith(sep) ? folder : folder + sep}`),
    ...(addons ? ['--allow-addons'] : []),
  ];
}

/**
 * The folder of a package, if it is installed, and those of its optional dependencies that are to be read too, or are its
 * compiled code for a platform. A folder behind a link is allowed under both of its names. Where `node_modules` is itself a
 * link, Node.js reads the link, so all that stands behind it is allowed.
 */
function foldersOf(name: string, from: string, packages: readonly string[]): string[] {
  const places = createRequire(from).resolve.paths(name) ?? [];
  const place = places.find((path) => existsSync(join(path, name)));
  if (place === undefined) return [];
  const folder = join(place, name);
  const link = lstatSync(place).isSymbolicLink() ? [place] : [];
  const manifest = join(realpathSync(folder), 'package.json');
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  const needed = Object.keys(optionalDependencies).filter(
    (other) => packages.includes(other) || other.startsWith(`${name}-`),
  );
  return [...link, folder, dirname(manifest), ...needed.flatMap((other) => foldersOf(other, manifest, packages))];
}
