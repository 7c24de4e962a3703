/**
 * The package as a user gets it: packed, unpacked into a project of its own beside nothing but its dependencies, then
 * compared with its guide, checked by publint and attw, compiled against and run. Needs a build, so it is no part of
 * `npm test`: `npm run test:package`.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { addressOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { describeProgram } from './program.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

const run = promisify(execFile);
/** The program, the client, and what the program runs as processes of their own. */
const entryPoints = [
  'dist/main.js',
  'dist/program.js',
  'dist/client/index.js',
  'dist/job-process.js',
  'dist/thumbnail-job.js',
  'dist/read-document-job.js',
];
const tool = (name: string) => join(import.meta.dirname, 'node_modules/.bin', name);

let project: string;
let tarball: string;
let installed: string;
let packed: string[];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'document-analysis-package-'));
  const { stdout } = await run('npm', ['pack', '--pack-destination', project]).catch((error: unknown) => {
    const { stdout: said, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`npm pack failed:\n${said}${stderr}`);
  });
  tarball = join(project, stdout.trim().split('\n').at(-1) ?? '');
  packed = (await run('tar', ['-tzf', tarball])).stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
  installed = join(project, 'node_modules/document-analysis-api');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '--directory', installed]);
  for (const name of await dependencies()) {
    await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
    await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'a-user', type: 'module' }));
}, 300_000);
afterAll(() => rm(project, { recursive: true }));

async function dependencies(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { dependencies: object };
  return Object.keys(manifest.dependencies);
}

describe('the package holds', () => {
  test('what its guide names, and nothing else', async () => {
    const [, section = ''] = (await readFile('docs/client.md', 'utf8')).split('## What the package holds');
    const named = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    );
    const isIn = (path: string, place: string) =>
      place.endsWith('/') ? path.startsWith(place) : matchesGlob(path, place);
    expect(packed.filter((path) => !named.some((place) => isIn(path, place)))).toEqual([]);
    expect(named.filter((place) => !packed.some((path) => isIn(path, place)))).toEqual([]);
  });

  test('the types of the client alone', () => {
    const types = packed.filter((path) => path.endsWith('.d.ts')).map((path) => path.replace('dist/client/types/', ''));
    const isTheClients = (path: string) => /^src\/client\/[\w-]+\.d\.ts$/.test(path);
    expect(types).toContain('client/index.d.ts');
    expect(types.filter((path) => !isTheClients(path)).sort()).toEqual([
      'generated/client.d.ts',
      'generated/types.d.ts',
    ]);
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
      outdir: project,
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const external = imports.filter((one) => one.external === true && !isBuiltin(one.path));
    const names = new Set(external.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path));
    // The drivers ask for it in vain, and do without.
    names.delete('pg-native');
    expect([...names].sort()).toEqual((await dependencies()).sort());
  });
});

describe('it is found faultless', () => {
  test('by publint', async () => {
    expect((await run(tool('publint'), ['run', tarball, '--strict'])).stdout).toContain('All good!');
  }, 60_000);

  test('by attw, for users of ES modules', async () => {
    // The YAML file is read, not imported.
    const options = ['--profile', 'esm-only', '--exclude-entrypoints', 'openapi.yaml', '--format', 'ascii'];
    const { stdout } = await run(tool('attw'), [tarball, ...options]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toMatch(/"document-analysis-api\/client"\s+node16 \(from ESM\): 🟢 \(ESM\)\s+bundler: 🟢/);
  }, 60_000);
});

describe('a project that has installed it', () => {
  test.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'bundler'],
  ])(
    'compiles against its types with module %s',
    async (module, moduleResolution) => {
      await writeFile(
        join(project, 'user.ts'),
        `import { createClient, isApiError, type Case } from 'document-analysis-api/client';
       const client = createClient({ region: 'ca', accessToken: 'token' });
       const files: Case['files'] = (await client.getCase('1')).files;
       // @ts-expect-error -- typed, not any
       const wrong: string = files;
       export { wrong, isApiError };`,
      );
      const options = {
        strict: true,
        noEmit: true,
        target: 'ES2022',
        lib: ['ES2022', 'DOM'],
        types: [],
        skipLibCheck: false,
      };
      const config = { compilerOptions: { ...options, module, moduleResolution }, files: ['user.ts'] };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
      const compiled = await run(resolve('node_modules/.bin/tsc'), ['-p', project]).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(compiled.stdout).toBe('');
    },
    60_000,
  );

  test('calls a server, reads the document, and reaches nothing else', async () => {
    const api = await startHarness();
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    await writeFile(
      join(project, 'user.mjs'),
      `import { readFileSync } from 'node:fs';
       import { createRequire } from 'node:module';
       import { createClient } from 'document-analysis-api/client';
       const { API_KEY: apiKey, BASE_URL: baseUrl } = process.env;
       const client = createClient({ region: 'uk', apiKey, baseUrl });
       const inner = await import('document-analysis-api/dist/program.js').catch(({ code }) => code);
       const { resolve } = createRequire(import.meta.url);
       const { openapi } = JSON.parse(readFileSync(resolve('document-analysis-api/openapi.json'), 'utf8'));
       const [version] = readFileSync(resolve('document-analysis-api/openapi.yaml'), 'utf8').split('\\n');
       console.log(JSON.stringify([await client.getVerificationSetting(), openapi, version, inner]));`,
    );
    const env = { ...process.env, API_KEY: key, BASE_URL: addressOf(api) };
    try {
      const { stdout } = await run(process.execPath, ['user.mjs'], { cwd: project, env });
      expect(JSON.parse(stdout)).toEqual([
        { enabled: false },
        '3.0.3',
        'openapi: 3.0.3',
        'ERR_PACKAGE_PATH_NOT_EXPORTED',
      ]);
    } finally {
      await api.close();
    }
  }, 60_000);

  test('has the program, which makes data and reads it', async () => {
    const program = join(installed, 'dist/main.js');
    const options = ['--data-dir', join(project, 'data')];
    const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { version: string };
    expect((await run(process.execPath, [program, '--version'])).stdout).toBe(`${version}\n`);
    await run(process.execPath, [program, 'demo', '--json', ...options]);
    const { stdout } = await run(process.execPath, [program, 'organisation', 'list', '--json', ...options]);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'Demo' }));
  }, 60_000);
});

describe('its program', () => {
  describeProgram(() => join(installed, 'dist'));
});
