/** The contract package's own `npm run build`: the program in dist/. */
import { cp, rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  // The code that runs Dredd is a module of its own, which is loaded only if Dredd is requested.
  entryPoints: ['main.ts', 'replay/run-dredd.ts'],
  outbase: '.',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  logLevel: 'warning',
});
await cp('replay/hooks.cjs', 'dist/replay/hooks.cjs');
for (const name of ['page.eta', 'page.css']) await cp(`report/${name}`, `dist/${name}`);
