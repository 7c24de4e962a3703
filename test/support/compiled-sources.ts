import { mkdtemp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Sources as the build has them: what they start reads no TypeScript, whose loader takes seconds and 300 MiB. */
export interface CompiledSources {
  /** The address of a module, given its path below `src` without extension. */
  url: (module: string) => string;
  remove: () => Promise<void>;
}

/** Compiles all sources into a folder in which the packages are found. */
export async function compileSources(): Promise<CompiledSources> {
  const reports = join(process.cwd(), 'reports');
  await mkdir(reports, { recursive: true });
  const outdir = await mkdtemp(join(reports, 'compiled-'));
  const names = await readdir('src', { recursive: true });
  const entryPoints = names.filter((name) => name.endsWith('.ts')).map((name) => join('src', name));
  await build({ entryPoints, outdir, outbase: 'src', format: 'esm', platform: 'node', logLevel: 'warning' });
  return {
    url: (module) => new URL(`${module}.js`, `file://${outdir}/`).href,
    remove: () => rm(outdir, { recursive: true }),
  };
}
