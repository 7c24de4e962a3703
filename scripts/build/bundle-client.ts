import { build } from 'esbuild';

/** Writes the client to a folder, as one module that imports its packages. */
export async function bundleClient(folder: string): Promise<void> {
  await build({
    entryPoints: ['client/index.ts'],
    outdir: folder,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    logLevel: 'warning',
  });
}
