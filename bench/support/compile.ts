import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { folders } from './folders.ts';

/**
 * Compiles the peers and the load generator to plain JavaScript, so that no compiler adds to the memory and the time of
 * a measured process. Packages are not bundled, as in the program itself.
 */
export async function compileProcesses(): Promise<void> {
  await rm(folders.compiled, { recursive: true, force: true });
  const servers = (await readdir(join(folders.bench, 'servers'))).filter((name) => name.endsWith('.ts'));
  await build({
    entryPoints: [
      ...servers.map((name) => join(folders.bench, 'servers', name)),
      join(folders.bench, 'load/client.ts'),
    ],
    outbase: folders.bench,
    outdir: folders.compiled,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
}

/** The compiled form of a file below bench/. */
export function compiledFile(source: string): string {
  return join(folders.compiled, source.replace(/\.ts$/, '.js'));
}
