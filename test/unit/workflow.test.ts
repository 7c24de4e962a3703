/** The workflow of GitHub and the bot that keeps versions fresh, checked against the repository that they work on. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import semver from 'semver';
import { parse } from 'yaml';

interface Job {
  strategy?: { matrix: { node: number[] } };
  services?: Record<string, { image: string }>;
  env?: Record<string, string>;
  steps: { uses?: string; run?: string; if?: string }[];
}

const text = readFileSync('.github/workflows/ci.yml', 'utf8');
const workflow = parse(text, { strict: true }) as {
  permissions: object;
  concurrency: object;
  jobs: Record<string, Job>;
};
const jobs = Object.values(workflow.jobs);
const runs = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  engines: { node: string };
  devDependencies: { node: string };
  workspaces: string[];
  scripts: Record<string, string>;
};
const own = semver.minVersion(manifest.devDependencies.node)?.major;
const [, majors = ''] = /const majors = (.*);/.exec(readFileSync('test/nodes/main.ts', 'utf8')) ?? [];
const others = [...majors.matchAll(/\d+/g)];

test('the workflow may read the repository alone, and runs once a branch the oldest version of engines, the own one, and those of npm test -- nodes', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(workflow.concurrency).toMatchObject({ 'cancel-in-progress': true });
  const versions = workflow.jobs['checks']?.strategy?.matrix.node ?? [];
  expect(versions[0]).toBe(semver.minVersion(manifest.engines.node)?.major);
  expect(versions).toEqual([own, ...others.map(Number)].sort());
  const whole = workflow.jobs['checks']?.steps.find(({ run }) => run === 'bash .ci/run');
  expect(whole?.if).toBe(`matrix.node == ${own ?? ''}`);
});

test('the workflow calls scripts that exist', () => {
  const called = runs
    .flatMap((run) => [...run.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name = '']) => name))
    .filter((name) => name !== 'ci');
  const files = runs.flatMap((run) => [...run.matchAll(/^bash (\S+)/gm)].map(([, name = '']) => name));
  expect(called).toContain('test');
  expect(called.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('the workflow pins each action by its commit, with the version beside it', () => {
  const texts = ['ci', 'release'].map((name) => readFileSync(`.github/workflows/${name}.yml`, 'utf8')).join('');
  const uses = [...texts.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, use = '']) => use);
  expect(uses.length).toBeGreaterThan(5);
  for (const use of uses) expect(use).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('the workflow has the major versions of the actions that the workflow for others shows', () => {
  const example = readFileSync('docs/examples/contract-workflow.yml', 'utf8');
  const shown = [...example.matchAll(/uses: (actions\/[\w-]+)@v(\d+)/g)];
  expect(shown).toHaveLength(3);
  for (const [, action = '', major = ''] of shown) expect(text).toMatch(new RegExp(`${action}@\\S+ # v${major}\\.`));
});

test('the workflow starts the images of compose.yaml, under the addresses that the tests look for', () => {
  const compose = readFileSync('compose.yaml', 'utf8');
  const job = workflow.jobs['checks'];
  expect(Object.keys(job?.services ?? {})).toEqual(['postgres', 'valkey']);
  for (const { image } of Object.values(job?.services ?? {})) expect(compose).toContain(`image: ${image}\n`);
  for (const [name, value] of Object.entries(job?.env ?? {}))
    expect(readFileSync('CONTRIBUTING.md', 'utf8').replaceAll(/\s+/g, ' ')).toContain(`\`${name}\` (${value})`);
});

interface Update {
  'package-ecosystem': string;
  directory?: string;
  directories?: string[];
}
const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8'), { strict: true }) as { updates: Update[] };

test('Dependabot looks at each package.json but those of the workspaces, which the lock file of the root covers', () => {
  const tracked = execFileSync('git', ['ls-files', 'package.json', '*/package.json'], { encoding: 'utf8' }).trim();
  const folders = tracked.split('\n').map((file) => `/${dirname(file)}`.replace(/^\/\.$/, '/'));
  const covered = manifest.workspaces.map((folder) => `/${folder}`);
  expect(covered.filter((folder) => !folders.includes(folder))).toEqual([]);
  const looked = folders.filter((folder) => !covered.includes(folder));
  expect([...(updates[0]?.directories ?? [])].sort()).toEqual(looked.sort());
});
