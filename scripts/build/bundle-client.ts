/** The first step of the client's own `npm run build`: one module in dist/, which imports only openapi-fetch. */
import { rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { licencesOf } from './bundle.ts';

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['index.ts'],
  outdir: 'dist',
  bundle: true,
  external: ['openapi-fetch'],
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2023',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licencesOf(metafile));
