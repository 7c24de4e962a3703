/**
 * The package as a user gets it: packed, unpacked into a project of its own beside nothing but its dependencies, then
 * compared with its guide, checked by publint and run. Needs a build, so it is no part of
 * `npm test`: `npm test -- package`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { compareWithGuide, type PackageUser, installForUser, run, tool } from './packed.ts';
import { describeProgram } from './program.ts';

/** The program, and what it runs as processes of its own. */
const entryPoints = [
  'dist/main.js',
  'dist/program.js',
  'dist/job-process.js',
  'dist/thumbnail-job.js',
  'dist/read-document-job.js',
];

let user: PackageUser;
let installed: string;
let packed: readonly string[];

beforeAll(async () => {
  user = await installForUser('.');
  ({ installed, packed } = user);
});
afterAll(() => user.remove());

describe('the package holds', () => {
  test('what its guide names, and nothing else', async () => {
    const { unnamed, absent } = compareWithGuide(packed, await readFile('docs/releasing.md', 'utf8'));
    expect({ unnamed, absent }).toEqual({ unnamed: [], absent: [] });
  });

  test('the licence of each package that it contains', async () => {
    const licences = await readFile(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['express', 'openapi-backend', 'express-openapi-validator', 'pg', 'ioredis', 'pino'])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
  });

  test('imports of its dependencies, all of them and no others', async () => {
    const { metafile } = await build({
      entryPoints: entryPoints.map((path) => join(installed, path)),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outdir: user.project,
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const external = imports.filter((one) => one.external === true && !isBuiltin(one.path));
    const names = new Set(external.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path));
    // The drivers ask for it in vain, and do without.
    names.delete('pg-native');
    expect([...names].sort()).toEqual(Object.keys(user.manifest.dependencies).sort());
  });
});

test('publint finds no fault', async () => {
  expect((await run(tool('publint'), ['run', user.tarball, '--strict'])).stdout).toContain('All good!');
});

describe('a project that has installed it', () => {
  test('reads the document, and reaches nothing else', async () => {
    await writeFile(
      join(user.project, 'user.mjs'),
      `import { readFileSync } from 'node:fs';
       import { createRequire } from 'node:module';
       const inner = await import('document-analysis-api/dist/program.js').catch(({ code }) => code);
       const { resolve } = createRequire(import.meta.url);
       const { openapi } = JSON.parse(readFileSync(resolve('document-analysis-api/openapi.json'), 'utf8'));
       const [version] = readFileSync(resolve('document-analysis-api/openapi.yaml'), 'utf8').split('\\n');
       console.log(JSON.stringify([openapi, version, inner]));`,
    );
    const { stdout } = await run(process.execPath, ['user.mjs'], { cwd: user.project });
    expect(JSON.parse(stdout)).toEqual(['3.0.3', 'openapi: 3.0.3', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
  });

  test('has the program, which makes data and reads it', async () => {
    const program = join(installed, 'dist/main.js');
    const options = ['--data-dir', join(user.project, 'data')];
    expect((await run(process.execPath, [program, '--version'])).stdout).toBe(`${user.manifest.version}\n`);
    await run(process.execPath, [program, 'demo', '--json', ...options]);
    const { stdout } = await run(process.execPath, [program, 'organisation', 'list', '--json', ...options]);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'Demo' }));
  });
});

describe('its program', () => {
  describeProgram(() => join(installed, 'dist'));
});
