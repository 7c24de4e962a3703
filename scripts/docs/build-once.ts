import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../build/digest.ts';
import { repositoryAddress } from './repository-address.ts';

/** The sources of the documentation, in addition to Node.js and the address of the repository. */
const sources = [
  'bench/results',
  'contract/document',
  'docs',
  'generated/openapi.json',
  'openapi',
  'package.json',
  'redocly.yaml',
  'scripts/docs',
  'scripts/package-lock.json',
  'scripts/release',
  'src/api/steps/serve-docs.ts',
];
const results = ['docs/index.html', 'served-docs/docs.bin', 'served-docs/docs.json'];

/**
 * Builds, unless a note below the folder shows that the last build had the same sources. Run it in the project's
 * folder.
 */
export async function buildOnce<T>(folder: string, build: () => Promise<T>): Promise<T | undefined> {
  const note = join(folder, 'served-docs/sources.sha256');
  const digest = `${digestOf(sources, ['node_modules'])} ${repositoryAddress('.') ?? ''}`;
  const isBuilt = results.every((file) => existsSync(join(folder, file)));
  if (isBuilt && existsSync(note) && readFileSync(note, 'utf8') === digest) return undefined;
  const built = await build();
  writeFileSync(note, digest);
  return built;
}
