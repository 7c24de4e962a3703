import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releasedFolder } from '../release/released.ts';
import type { Version } from './version-pages.ts';

/** The released versions of the contract in a folder of the project. */
export function releasedVersions(root: string): Version[] {
  const folder = join(root, releasedFolder);
  return readdirSync(folder).map((name) => ({
    version: name.replace(/\.yaml$/, ''),
    yaml: readFileSync(join(folder, name), 'utf8'),
  }));
}
