/** What the Dockerfile and the build need is in the build context; `npm test -- image` proves it by a build. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { steps as buildSteps } from '../../scripts/build/steps.ts';
import { contextFiles, ignoreRules } from '../image/context.ts';
import { readDockerfile } from '../image/dockerfile.ts';

const context = contextFiles('.');
const ignored = ignoreRules('.');
const isThere = (path: string) => context.some((file) => file === path || file.startsWith(`${path}/`));
interface Manifest {
  name: string;
  scripts: Record<string, string>;
  workspaces?: string[];
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const { workspaces = [] } = manifestOf('.');
const steps = ['Dockerfile', 'contract/Dockerfile']
  .flatMap((file) => readDockerfile(readFileSync(file, 'utf8')))
  .flatMap((stage) => stage.steps);

/** The paths that a script of a package names, with those of the scripts that it runs. */
function pathsOf(name: string, folder = '.'): string[] {
  return (manifestOf(folder).scripts[name] ?? '').split(' && ').flatMap((part) => {
    const [, nested, workspace] = /^npm run (?:--silent )?([\w:]+)(?: -w (\S+))?/.exec(part) ?? [];
    if (nested !== undefined)
      return pathsOf(
        nested,
        workspaces.find((one) => manifestOf(one).name === workspace),
      );
    const words = part.split(/\s+/).map((word) => join(folder, word));
    return words.filter((path) => existsSync(path) && statSync(path).isFile());
  });
}

/** What a TypeScript configuration reads. */
function configuredBy(path: string): string[] {
  const {
    extends: base,
    files = [],
    include = [],
  } = JSON.parse(readFileSync(path, 'utf8')) as {
    extends?: string;
    files?: string[];
    include?: string[];
  };
  return [
    ...(base === undefined ? [] : [join(dirname(path), base)]),
    ...[...files, ...include].map((entry) => join(dirname(path), entry)),
  ];
}

/** The sources that a script imports. */
async function importedBy(path: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [path],
    bundle: true,
    packages: 'external',
    external: ['#*'],
    platform: 'node',
    format: 'esm',
    target: 'node24',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

describe('the build context has', () => {
  test('every file that COPY names', () => {
    const copies = steps.filter(({ keyword, flags }) => keyword === 'COPY' && flags['from'] === undefined);
    const named = copies.flatMap(({ words }) => words.slice(0, -1)).filter((word) => word !== '.');
    expect(named).toContain('package.json');
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  test('every file that npm run build names, and what those read', async () => {
    const scripts = buildSteps.flatMap(({ script, folder }) => pathsOf(script, folder));
    const named = [...pathsOf('build'), ...scripts];
    expect(named).toEqual(expect.arrayContaining(['scripts/build.ts', 'scripts/docs/main.ts', 'client/tsconfig.json']));
    const configured = named.filter((path) => path.endsWith('.json')).flatMap(configuredBy);
    const imported = await Promise.all(named.filter((path) => /\.[jt]s$/.test(path)).map(importedBy));
    const needed = [...named, ...configured, ...imported.flat()];
    expect(needed.filter((path) => !isThere(path))).toEqual([]);
  });

  test.each([
    '.env',
    '.git/config',
    'data/document-analysis-uk.sqlite',
    'deploy/secrets/proxy.pem',
    'dist/main.js',
    'node_modules/pg/package.json',
    'scripts/node_modules/redoc/package.json',
  ])('no %s', (path) => {
    expect(ignored(path)).toBe(true);
  });
});

test('the stage that builds has the package.json of each workspace before it installs, and the runtime has none', () => {
  const copiedBefore = (command: RegExp) =>
    readDockerfile(readFileSync('Dockerfile', 'utf8')).flatMap((stage) => {
      const install = stage.steps.findIndex(({ keyword, content }) => keyword === 'RUN' && command.test(content));
      return install < 0 ? [] : stage.steps.slice(0, install).flatMap(({ words }) => words);
    });
  const manifests = workspaces.map((folder) => `${folder}/package.json`);
  expect(copiedBefore(/^npm ci (?!--omit=dev)/)).toEqual(expect.arrayContaining(manifests));
  expect(copiedBefore(/^npm ci --omit=dev/)).toEqual(expect.arrayContaining(['package.json', 'package-lock.json']));
  expect(copiedBefore(/^npm ci --omit=dev/)).not.toContain('.');
  for (const manifest of manifests) expect(copiedBefore(/^npm ci --omit=dev/)).not.toContain(manifest);
});

test('every base image is pinned by its exact version', () => {
  const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'));
  const names = new Set(stages.map(({ name }) => name));
  for (const { image } of stages.filter((stage) => !names.has(stage.image)))
    expect(image).toMatch(/:\d+\.\d+\.\d+-|@sha256:[0-9a-f]{64}$/);
});
