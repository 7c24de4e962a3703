import { join } from 'node:path';

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..');

/** The description as one JSON file, which every tool can read. */
export const documentFile = join(root, 'generated/openapi.json');

/** What a package of this folder brings. */
export function installed(path: string): string {
  return join(import.meta.dirname, 'node_modules', path);
}
