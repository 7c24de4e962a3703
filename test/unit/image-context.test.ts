/** What the Dockerfile and the build need is in the build context; `npm test -- image` proves it by a build. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { inputs } from '../../scripts/build/steps.ts';
import { contextFiles, ignoreRules } from '../image/context.ts';
import { flagsOf } from '../image/build.ts';
import { readDockerfile } from '../image/dockerfile.ts';

const context = contextFiles('.');
const ignored = ignoreRules('.');
const isThere = (path: string) => context.some((file) => file === path || file.startsWith(`${path}/`));
const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] };
const steps = ['Dockerfile', 'contract/Dockerfile']
  .flatMap((file) => readDockerfile(readFileSync(file, 'utf8'), flagsOf))
  .flatMap((stage) => stage.steps);

test('every module that the program and the scripts of the build import is one of its inputs, and in the context', async () => {
  const scripts = ['build.ts', 'docs/main.ts', 'build/bundle.ts', 'build/bundle-client.ts', 'build/bundle-contract.ts'];
  const { metafile } = await build({
    entryPoints: [
      ...['src/main.ts', 'src/cli/program.ts', 'client/index.ts', 'contract/main.ts'],
      ...scripts.map((path) => `scripts/${path}`),
    ],
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    external: ['#*'],
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const isInput = (path: string) => inputs.some((input) => path === input || path.startsWith(`${input}/`));
  const modules = Object.keys(metafile.inputs);
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter((path) => !isInput(path) || !isThere(path))).toEqual([]);
});

test('the build context has every file that COPY names', () => {
  const copies = steps.filter(({ keyword, flags }) => keyword === 'COPY' && flags['from'] === undefined);
  const named = copies.flatMap(({ words }) => words.slice(0, -1)).filter((word) => word !== '.');
  expect(named).toContain('package.json');
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

test('the build context has every other input of the build but the README, which no image shows', () => {
  const others = inputs.filter((path) => path !== 'README.md');
  expect([...others, 'client/tsconfig.json'].filter((path) => !isThere(path))).toEqual([]);
});

test.each([
  ...['.env', '.git/config', 'data/document-analysis-uk.sqlite', 'deploy/secrets/proxy.pem', 'dist/main.js'],
  ...['node_modules/pg/package.json', 'scripts/node_modules/redoc/package.json'],
])('the build context has no %s', (path) => {
  expect(ignored(path)).toBe(true);
});

test('the stage that builds has the package.json of each workspace before it installs, and the runtime has none', () => {
  const copiedBefore = (command: RegExp) =>
    readDockerfile(readFileSync('Dockerfile', 'utf8'), flagsOf).flatMap((stage) => {
      const install = stage.steps.findIndex(({ keyword, content }) => keyword === 'RUN' && command.test(content));
      return install < 0 ? [] : stage.steps.slice(0, install).flatMap(({ words }) => words);
    });
  const manifests = workspaces.map((folder) => `${folder}/package.json`);
  expect(copiedBefore(/^npm ci (?!--omit=dev)/)).toEqual(expect.arrayContaining(manifests));
  expect(copiedBefore(/^npm ci --omit=dev/)).toEqual(expect.arrayContaining(['package.json', 'package-lock.json']));
  expect(copiedBefore(/^npm ci --omit=dev/)).not.toContain('.');
  for (const manifest of manifests) expect(copiedBefore(/^npm ci --omit=dev/)).not.toContain(manifest);
});
