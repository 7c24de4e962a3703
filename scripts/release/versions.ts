import semver from 'semver';
import type { Kind } from './change.ts';

/**
 * The lowest version that announces a change, by semantic versioning: from 1.0.0, a breaking change raises the major
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
