import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import semver from 'semver';
import { type Json, type Kind, object, readDocument } from './document.ts';
import { run } from './run.ts';

/** The folder of the released contracts, one file per version. */
export const releasedFolder = 'openapi/released';

export function releasedFile(version: string): string {
  return `${releasedFolder}/${version}.yaml`;
}

/** The subject of the commit that replaces a released contract before its version is published (decision E14). */
export function recutSubject(version: string): string {
  return `chore(release): cut ${version} anew`;
}

/** The last released contract; undefined if there is none. Throws if a file is not named after its version. */
export async function lastReleased() {
  const contracts: { readonly version: string; readonly document: Json }[] = [];
  for (const name of await releasedFiles()) {
    const version = name.replace(/\.yaml$/, '');
    const document = await readDocument(join(releasedFolder, name));
    if (!isReleaseVersion(version) || versionOf(document) !== version)
      throw new Error(`${releasedFolder}/${name} is not named after its version, ${versionOf(document)}.`);
    contracts.push({ version, document });
  }
  return contracts.sort((one, other) => semver.compare(one.version, other.version)).at(-1);
}

export function versionOf(document: Json): string {
  return String(object(document['info'])['version']);
}

/**
 * Compares each released contract with the commit that it comes from.
 * @returns the reason if it cannot be compared; undefined if it was
 * @throws {Error} if one was edited or removed since
 */
export async function refuseEditedReleases(): Promise<string | undefined> {
  const shallow = await run('git', 'rev-parse', '--is-shallow-repository').catch(() => undefined);
  if (shallow === undefined) return 'there is no Git history here';
  if (shallow === 'true') return 'the clone is shallow; clone with the whole history (`fetch-depth: 0` on GitHub)';
  for (const [file, commit] of await origins()) {
    const added = await run('git', 'rev-parse', `${commit}:${file}`);
    const current = await run('git', 'hash-object', file).catch(() => undefined);
    if (current === undefined)
      throw new Error(`${file} is gone. A released contract stays: restore it with git checkout ${commit} -- ${file}`);
    if (current !== added)
      throw new Error(
        `${file} was edited since its release. Put it back with: git checkout ${commit.slice(0, 12)} -- ${file}\n` +
          'A released contract never changes; what is wrong with it is put right in the next version.',
      );
  }
  return undefined;
}

async function releasedFiles(): Promise<string[]> {
  return readdir(releasedFolder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
}

/** The commit that each released contract comes from: the one that added it, or the last recut that replaced it. */
async function origins(): Promise<Map<string, string>> {
  const options = ['--reverse', '--diff-filter=AM', '--no-renames', '--name-status', '--format=%x00%H%x09%s'];
  const log = await run('git', 'log', ...options, '--', releasedFolder);
  const origin = new Map<string, string>();
  for (const entry of log.split('\0').slice(1)) {
    const [head = '', ...changes] = entry.trim().split('\n');
    const [commit = '', subject = ''] = head.split('\t');
    for (const [status = '', file = ''] of changes.filter((line) => line !== '').map((line) => line.split('\t'))) {
      const version = basename(file, '.yaml');
      if (status === 'A' ? !origin.has(file) : subject === recutSubject(version)) origin.set(file, commit);
    }
  }
  return origin;
}

/**
 * The lowest version that announces a change, by semantic versioning. From 1.0.0, a breaking change raises the major
 * number and a compatible one the minor; before, a breaking change raises the minor. Anything else raises the patch
 * number.
 */
export function lowestVersion(released: string, kind: Kind): string {
  const initial = semver.major(released) === 0;
  const part = {
    breaking: initial ? 'minor' : 'major',
    compatible: initial ? 'patch' : 'minor',
    text: 'patch',
    none: 'patch',
  } as const satisfies Record<Kind, semver.ReleaseType>;
  return semver.inc(released, part[kind]) ?? released;
}

/** Whether a text is a version that can be released: three numbers, such as `1.2.3`. */
export function isReleaseVersion(text: string): boolean {
  return semver.valid(text) === text && semver.prerelease(text) === null && !text.includes('+');
}
