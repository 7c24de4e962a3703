/** Bundles the program: few files load faster than many, and what is bundled need not be installed. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build as bundle, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { commandNames } from '../../src/cli/commands.ts';
import { groupImports } from './group-imports.ts';
import { lazyBuiltins } from './lazy-builtins.ts';
import { leaveOut } from './leave-out.ts';
import { licencesOf } from './licences.ts';

/** What the launcher loads, and what runs as a process of its own. */
const entryPoints = [
  'src/cli/program.ts',
  'src/analysis/bounded-process/job-process.ts',
  'src/files/thumbnail-job.ts',
  'src/analysis/extraction/read-document-job.ts',
];

/** Commands that work on the store and then end: all but those that serve. */
const operatorCommands = commandNames
  .filter((name) => !['serve', 'mock', 'proxy'].includes(name))
  .map((name) => `${name}.ts`);

/** Native code, what comes with files of data, and what pg asks for in vain. */
const unbundled = ['better-sqlite3', '@napi-rs/canvas', 'pdfjs-dist', 'pg-native'];

/** Unused: the uploads of express-openapi-validator, and openapi-backend's check of a document. */
const leftOut = ['multer', 'openapi-schema-validator'];

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  entryNames: '[name]',
  sourcemap: true,
  // A stack needs the places, not the text.
  sourcesContent: false,
  // Names stay as they are: stacks show them, and a step of the validator is found by its name.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions;

/** Leaves the program to the moment when the launcher asks for it. */
const programApart: Plugin = {
  name: 'program-apart',
  setup(build) {
    build.onResolve({ filter: /\/program\.ts$/ }, () => ({ path: './program.js', external: true }));
  },
};

/** Writes the program and the licences of what it contains to a folder, and removes what an earlier build left there. */
export async function bundleProgram(folder: string): Promise<void> {
  const launcher = await bundle({
    ...common,
    entryPoints: ['src/main.ts'],
    outdir: folder,
    // A Node.js that is too old must be able to read it.
    target: 'node14',
    plugins: [programApart],
  });
  const program = await bundle({
    ...common,
    entryPoints,
    outdir: folder,
    target: 'node22.14',
    splitting: true,
    external: unbundled,
    plugins: [lazyBuiltins, leaveOut(leftOut), groupImports('src/cli', operatorCommands)],
    // For packages that are CommonJS.
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    banner: { js: "const require=process.getBuiltinModule('module').createRequire(import.meta.url);" },
  });
  const licences = 'THIRD-PARTY-LICENSES.txt';
  await writeFile(join(folder, licences), await licencesOf(program.metafile));
  await removeOthers(folder, [...outputsOf(launcher), ...outputsOf(program), licences]);
}

function outputsOf({ metafile }: { metafile: Metafile }): string[] {
  return Object.keys(metafile.outputs).map((path) => basename(path));
}

/** A program that runs meanwhile may still load a file that this build wrote again: none of them may be missing for a while. */
async function removeOthers(folder: string, written: readonly string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const stale = entries.filter((entry) => entry.isFile() && !written.includes(entry.name));
  await Promise.all(stale.map(({ name }) => rm(join(folder, name))));
}
