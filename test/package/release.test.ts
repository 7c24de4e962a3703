/** The steps of the release workflow, run as processes: npm publishes nothing, and GitHub's command only notes what it is told. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { folders, run, tarballs } from './packed.ts';

interface Step {
  name?: string;
  run?: string;
}
interface Workflow {
  on: { push: { tags: string[] } };
  permissions: object;
  jobs: Record<'build' | 'publish', { permissions?: object; needs: string; steps: Step[] }>;
}
interface Manifest {
  name: string;
  version: string;
  repository: { url: string; directory?: string };
  homepage: string;
  bugs: { url: string };
  publishConfig: object;
}

const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'), { strict: true }) as Workflow;
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const { version } = manifestOf('.');
const names = folders.map((folder) => `${manifestOf(folder).name}-${version}`);

const folder = await TemporaryFolder.make();
const release = join(folder.path, 'release');
await cp(tarballs, release, { recursive: true });

/** Runs a step as GitHub's runner does. */
async function runStep(
  name: string,
  { tag = `v${version}`, cwd = process.cwd(), ...more }: Record<string, string> = {},
): Promise<string> {
  const steps = Object.values(workflow.jobs).flatMap(({ steps = [] }: Partial<Workflow['jobs']['build']>) => steps);
  const script = await folder.write('step.sh', steps.find((step) => step.name === name)?.run ?? 'exit 9');
  const env = {
    ...process.env,
    PATH: `${join(folder.path, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    FOLDER: release,
    GITHUB_REF_NAME: tag,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'an-owner/a-repository',
    ...more,
  };
  const { stdout, stderr } = await run('bash', ['-e', script], { cwd, env });
  return stdout + stderr;
}

test('a tag of a version starts it; only the job that publishes may write, and it has no token of npm', () => {
  expect(workflow.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(workflow.jobs.build).toMatchObject({ needs: 'checks' });
  expect(workflow.jobs.build.permissions).toBeUndefined();
  expect(workflow.jobs.publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
  expect(JSON.stringify(workflow)).not.toMatch(/secrets\.|NPM_TOKEN/);
});

test('a tag that is not the version of the packages is refused', async () => {
  await runStep('Check that the tag is the version');
  await expect(runStep('Check that the tag is the version', { tag: 'v9.9.9' })).rejects.toThrow('Command failed');
});

test('the packages name the repository that they come from, as provenance asks', async () => {
  const cwd = join(folder.path, 'packages');
  for (const one of folders) {
    await mkdir(join(cwd, one), { recursive: true });
    await cp(join(one, 'package.json'), join(cwd, one, 'package.json'));
  }
  await runStep('Name this repository in the packages', { cwd });
  for (const one of folders) {
    const { repository, bugs, homepage, publishConfig } = manifestOf(join(cwd, one));
    expect(repository).toEqual({
      type: 'git',
      url: 'git+https://github.example/an-owner/a-repository.git',
      ...(one !== '.' && { directory: one }),
    });
    expect([bugs.url, homepage]).toEqual([
      'https://github.example/an-owner/a-repository/issues',
      'https://github.example/an-owner/a-repository#readme',
    ]);
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
  }
});

test('each package and image has a bill of materials, of what is in it and no more', async () => {
  await runStep('Write the bills of materials');
  const bom = async (name: string) => {
    const text = await readFile(join(release, `${name}-${version}.cdx.json`), 'utf8');
    const { metadata, components, dependencies } = JSON.parse(text) as {
      metadata: { component: { name: string; type: string } };
      components: { name: string; 'bom-ref': string }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    const refs = new Set([`${metadata.component.name}@${version}`, ...components.map((one) => one['bom-ref'])]);
    expect(dependencies.flatMap((one) => [one.ref, ...one.dependsOn]).filter((ref) => !refs.has(ref))).toEqual([]);
    return { ...metadata.component, parts: components.map((one) => one.name) };
  };
  expect((await bom('document-analysis-client')).parts.sort()).toEqual([
    'is-network-error',
    'openapi-fetch',
    'openapi-typescript-helpers',
    'p-retry',
  ]);
  const { parts } = await bom('document-analysis-api');
  expect(parts).toEqual(expect.arrayContaining(['express', 'pg', 'pdfjs-dist', 'better-sqlite3']));
  expect(parts).not.toEqual(expect.arrayContaining(['jest']));
  for (const name of ['document-analysis-api-image', 'document-analysis-contract-image']) {
    const image = await bom(name);
    expect(image.type).toBe('container');
    expect(image.parts).toContain('node');
  }
});

test('npm would publish each package, and the release has the notes, the packages, the documents and the bills', async () => {
  await runStep('Add the document and the documentation');
  await runStep('Write the notes');
  expect(await readFile(join(release, 'notes.md'), 'utf8')).toMatch(/^(### |- )/);
  const published = await runStep('Publish the packages', { npm_config_dry_run: 'true' });
  for (const one of folders) expect(published).toContain(`+ ${manifestOf(one).name}@${version}`);
  expect(published.match(/with tag latest and public access \(dry-run\)/g)).toHaveLength(folders.length);

  await mkdir(join(folder.path, 'bin'));
  const gh = await folder.write('bin/gh', '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  await chmod(gh, 0o755);
  const told = (await runStep('Publish the release', { cwd: folder.path })).trim().split('\n');
  expect(told.slice(0, 7)).toEqual([
    ...['release', 'create', `v${version}`, '--verify-tag', '--title', `v${version}`, '--notes-file'],
  ]);
  const attached = (await readdir(release)).sort();
  expect(told.slice(8).map((file) => file.replace(`${release}/`, ''))).toEqual(attached);
  const images = [`document-analysis-api-image-${version}`, `document-analysis-contract-image-${version}`];
  expect(attached).toEqual(
    [
      ...names.map((name) => `${name}.tgz`),
      ...[...names, ...images].map((name) => `${name}.cdx.json`),
      ...['openapi.yaml', 'openapi.json', 'openapi-3.1.yaml', 'openapi-3.1.json'],
      `documentation-${version}.tar.gz`,
    ].sort(),
  );
});
