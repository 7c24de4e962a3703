/**
 * Each package as its user gets it: compared with its guide, its licences and its dependencies, checked by publint and attw,
 * and installed. Needs a build, so it is no part of `npm test`: `npm test -- package`.
 */
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { compareWithGuide, folders, installForUser, type PackageUser, run, tool } from './packed.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

interface Expected {
  /** The guide whose table names the files of the package. */
  readonly guide: string;
  /** The modules from which a user's program starts: its processes too. */
  readonly entryPoints: readonly string[];
  /** Imported in vain, or only on request. */
  readonly optional?: readonly string[];
  /** Packages that it contains and whose licences it must hold. */
  readonly licences?: unknown;
  /** What npm may install with it in an empty folder. */
  readonly most?: { readonly packages: number; readonly bytes: number };
  /** What attw says of it. */
  readonly attw?: RegExp;
}

const expected: Readonly<Record<(typeof folders)[number], Expected>> = {
  '.': {
    guide: 'docs/releasing.md',
    entryPoints: ['main', 'program', 'job-process', 'thumbnail-job', 'read-document-job'],
    optional: ['pg-native'],
    licences: expect.arrayContaining([
      ...['express', 'openapi-backend', 'express-openapi-validator', 'pg', '@redis/client', 'pino'],
    ]),
  },
  contract: {
    guide: 'contract/README.md',
    entryPoints: ['main'],
    optional: ['./replay/run-dredd.js'],
    most: { packages: 120, bytes: 60e6 },
    attw: /^[^❌💀]*$/u,
  },
  client: {
    guide: 'client/README.md',
    entryPoints: ['index'],
    licences: ['is-network-error', 'p-retry'],
    most: { packages: 5, bytes: 1e6 },
    attw: /"document-analysis-client"\s+node16 \(from ESM\): 🟢 \(ESM\)\s+bundler: 🟢/u,
  },
};

describe.each(folders)('the package of the folder %s', (folder) => {
  const { guide, entryPoints, optional = [], licences, most, attw } = expected[folder];
  let user: PackageUser;
  beforeAll(async () => {
    user = await installForUser(folder);
  });

  test('holds what its guide names, the licence of the project, no sources, and nothing else', async () => {
    expect(await readFile(join(user.installed, 'LICENSE'), 'utf8')).toBe(await readFile('LICENSE', 'utf8'));
    expect(compareWithGuide(user.packed, await readFile(guide, 'utf8'))).toEqual({ unnamed: [], absent: [] });
    expect(user.packed.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  });

  test('imports its dependencies, all of them and no others', async () => {
    const { metafile } = await build({
      entryPoints: entryPoints.map((name) => join(user.installed, `dist/${name}.js`)),
      bundle: true,
      packages: 'external',
      external: [...optional],
      platform: 'node',
      format: 'esm',
      outdir: user.project,
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const external = imports.filter((one) => one.external === true && !isBuiltin(one.path));
    const names = new Set(external.map(({ path }) => /^(@[^/]+\/)?[^/.][^/]*/.exec(path)?.[0] ?? path));
    expect([...names].filter((name) => !optional.includes(name)).sort()).toEqual(
      Object.keys(user.manifest.dependencies).sort(),
    );
  });

  test('has no fault for publint', async () => {
    expect((await run(tool('publint'), ['run', user.tarball, '--strict'])).stdout).toContain('All good!');
  });

  if (licences !== undefined)
    test('holds the licence of each package that it contains', async () => {
      const text = await readFile(join(user.installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
      expect([...text.matchAll(/^(\S+) \d+\.\d+\.\d+ \(MIT\)$/gm)].map(([, name]) => name)).toEqual(licences);
    });

  if (attw)
    test('has no fault for attw, for users of ES modules', async () => {
      const judged = run(tool('attw'), [user.tarball, '--profile', 'esm-only', '--format', 'ascii']);
      expect((await judged.catch((error: unknown) => error as { stdout: string })).stdout).toMatch(attw);
    });

  if (most)
    test(`is installed by npm in an empty folder with at most ${most.packages} packages`, async () => {
      const empty = await makeTemporaryFolder();
      await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', user.tarball], { cwd: empty });
      const lock = await readFile(join(empty, 'node_modules/.package-lock.json'), 'utf8');
      const { packages } = JSON.parse(lock) as { packages: object };
      expect(Object.keys(packages).length).toBeLessThanOrEqual(most.packages);
      const bytes = Number((await run('du', ['-sb', join(empty, 'node_modules')])).stdout.split('\t')[0]);
      expect(bytes).toBeLessThanOrEqual(most.bytes);
      if (folder === 'contract') {
        const { stdout } = await run('npx', ['document-analysis-contract', 'check', '--list'], { cwd: empty });
        expect(stdout).toMatch(/^replay\.getVerificationSetting\.200 {2}/);
      }
    });
});
