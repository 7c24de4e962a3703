/** The contract package's own `npm run build`: the program in dist/, and beside it the folder into which Dredd is installed. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  // The replay is a module of its own, so that it finds Dredd in the node_modules of its folder.
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
for (const name of ['package-lock.json', 'hooks.cjs']) await cp(`replay/${name}`, `dist/replay/${name}`);
for (const name of ['page.eta', 'page.css']) await cp(`report/${name}`, `dist/${name}`);
// Without its name, of which there is one in the repository.
const replay = JSON.parse(await readFile('replay/package.json', 'utf8')) as Record<string, unknown>;
await writeFile('dist/replay/package.json', `${JSON.stringify({ ...replay, name: undefined }, null, 2)}\n`);
