/** Bundles the program: a few files load faster than many, and bundled packages need not be installed. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, basename } from 'node:path';
import { type Metafile, build as bundle, type BuildOptions, type Plugin } from 'esbuild';
import { existsSync } from 'node:fs';
import { commandNames } from '../../src/cli/commands.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The licences of the bundled packages, one section per package. Throws if a package names none. */
export async function licencesOf({ outputs }: Metafile): Promise<string> {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const sections = await Promise.all([...folders].map(licenceOf));
  return `${sections.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  if (license === undefined && files.length === 0) throw new Error(`The package ${name} names no licence.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const heading = license === undefined ? `${name} ${version}` : `${name} ${version} (${license})`;
  return [heading, ...texts.map((text) => text.trim())].join('\n\n');
}

/** The module that the launcher loads, and the modules that run as processes of their own. */
const entryPoints = [
  'src/cli/program.ts',
  'src/analysis/bounded-process/job-process.ts',
  'src/files/thumbnail-job.ts',
  'src/analysis/extraction/read-document-job.ts',
];

/** The files of commands that work on the store and then exit: all but the one that serves. Some have two commands. */
const operatorCommands = commandNames
  .map((name) => join(process.cwd(), 'src/cli', `${name}.ts`))
  .filter((file) => basename(file) !== 'serve.ts' && existsSync(file));

/** Packages with native code or data files, and an optional package that pg tries to load. */
const unbundled = ['better-sqlite3', '@napi-rs/canvas', 'pdfjs-dist', 'pg-native'];

/** What packages load and the program never calls, by path: it has steps of its own for bodies, files and media types. */
const unused = [
  'multer|body-parser|iconv-lite|serve-static|send|mime-types|js-yaml|mock-json-schema|openapi-schema-validator',
  'openapi-backend.validation|pino.lib.transport',
  '@redis.client.dist.lib.(cluster|sentinel|utils.digest)',
];

/**
 * Replaces modules of packages, and loads some of Node.js as `require` would. An `import` evaluates all exports,
 * including lazy ones: that of `node:http` loads undici, which takes 13 MiB and a third of the start time, and that of
 * `node:process` opens the standard streams.
 */
const replaceModules: Plugin = {
  name: 'replace-modules',
  setup(build) {
    build.onResolve({ filter: /^node:(crypto|http|process|util)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
    // A call fails with the name of the module.
    build.onLoad({ filter: new RegExp(`node_modules.(${unused.join('|')})\\b`) }, ({ path }) => ({
      contents: `module.exports = function () { throw new Error('The bundle has no ${basename(path)}.'); };`,
    }));
    // What openapi-backend calls: all of lodash would be a tenth of what the start allocates.
    const methods = ['chain', 'entries', 'flatMap', 'includes', 'keys', 'pick'];
    build.onLoad({ filter: /node_modules.lodash.lodash\.js$/ }, () => ({
      contents: `module.exports = require('./wrapperLodash');
        require('./mixin')(module.exports, { ${methods.map((name) => `${name}: require('./${name}')`).join()} });
        module.exports.prototype.value = require('./wrapperValue');`,
    }));
  },
};

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  entryNames: '[name]',
  sourcemap: true,
  // Stack traces need the positions, not the source text.
  sourcesContent: false,
  // Names are kept, because stack traces show them and a step of the validator is found by its name.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions;

/** Keeps the program out of the launcher, which loads it later. */
const programApart: Plugin = {
  name: 'program-apart',
  setup(build) {
    build.onResolve({ filter: /\/program\.ts$/ }, () => ({ path: './program.js', external: true }));
  },
};

/** Writes the program and the licences of its packages to a folder, and removes files of an earlier build. */
export async function bundleProgram(folder: string): Promise<void> {
  const launcher = await bundle({
    ...common,
    entryPoints: ['src/main.ts'],
    outdir: folder,
    // A Node.js version that is too old must be able to parse it.
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
    plugins: [replaceModules, groupCommands],
    // For CommonJS packages.
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    banner: { js: "const require=process.getBuiltinModule('module').createRequire(import.meta.url);" },
  });
  const licences = 'THIRD-PARTY-LICENSES.txt';
  await writeFile(join(folder, licences), await licencesOf(program.metafile));
  const written = [launcher, program].flatMap(({ metafile }) => Object.keys(metafile.outputs));
  await removeOthers(folder, [...written.map((path) => basename(path)), licences]);
}

/** Removes files after writing the others, because a running program may still load one that is rewritten. */
async function removeOthers(folder: string, written: readonly string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const stale = entries.filter((entry) => entry.isFile() && !written.includes(entry.name));
  await Promise.all(stale.map(({ name }) => rm(join(folder, name))));
}

/**
 * Combines the operator's commands, which share most of their dependencies, into one file. Otherwise every shared
 * module would be a separate file, and each command would load a dozen more files.
 */
const groupCommands: Plugin = {
  name: 'group-commands',
  setup(build) {
    build.onResolve({ filter: /^\.\// }, ({ path, resolveDir, kind }) =>
      kind === 'dynamic-import' && operatorCommands.includes(join(resolveDir, path))
        ? { path: 'src/cli', namespace: 'commands' }
        : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'commands' }, ({ path }) => ({
      contents: operatorCommands.map((file) => `export * from ${JSON.stringify(file)};`).join('\n'),
      resolveDir: path,
    }));
  },
};

if (import.meta.main) await bundleProgram('dist');
