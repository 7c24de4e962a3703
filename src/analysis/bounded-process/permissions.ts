/** The permissions of a bounded job, in the terms of Node's permission model. Its process is denied everything else. */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the sources, or of the build. */
const program = fileURLToPath(new URL(extname(import.meta.url) === '.ts' ? '../..' : '.', import.meta.url));

/**
 * Returns Node.js flags that allow a process only to read the program, the job's folder and packages. They allow no
 * worker thread, because Node.js does not restrict those.
 * @param job the file of its module
 * @param packages the names of packages; one that the build bundles is not installed
 * @param addons whether compiled code may be loaded
 */
export function permissionsOf(job: string, packages: readonly string[], addons: boolean): string[] {
  const own = job.startsWith(program) ? [program] : [program, dirname(job)];
  const folders = new Set([...own, ...packages.flatMap((name) => foldersOf(name, import.meta.url, packages))]);
  return [
    '--permission',
    // The permission model does not restrict databases.
    '--no-experimental-sqlite',
    ...[...folders].map((folder) => `--allow-fs-read=${folder.endsWith(sep) ? folder : folder + sep}`),
    ...(addons ? ['--allow-addons'] : []),
  ];
}

/**
 * The folder of a package, if it is installed, and the folders of those optional dependencies that are listed too or
 * hold compiled code for a platform. A linked folder is allowed under both of its names. If `node_modules` itself is a
 * link, Node.js reads the link, so everything behind it is allowed.
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
