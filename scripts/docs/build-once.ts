import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../build/digest.ts';
import { repositoryAddress } from './repository-address.ts';

/** All that the documentation is made of, beside Node.js and the address of the repository. */
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

/** Builds, unless what was last built below the folder is of the same sources, as a note beside it says. Run it in the folder of the project. */
export async function buildOnce<T>(folder: string, build: () => Promise<T>): Promise<T | undefined> {
  const note = join(folder, 'served-docs/sources.sha256');
  const digest = `${digestOf(sources, ['node_modules'])} ${repositoryAddress('.') ?? ''}`;
  const isBuilt = results.every((file) => existsSync(join(folder, file)));
  if (isBuilt && existsSync(note) && readFileSync(note, 'utf8') === digest) return undefined;
  const built = await build();
  writeFileSync(note, digest);
  return built;
}
