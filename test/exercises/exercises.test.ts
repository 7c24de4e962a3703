/**
 * Operations of other shapes, each as a diff that is applied to a copy of the project: what the diff does not hold, the
 * project does by itself. None of them is part of the product.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ProjectCopy } from './project-copy.ts';

const folder = import.meta.dirname;
const exercises = readdirSync(folder).filter((name) => name.endsWith('.diff'));

/** The largest number of added lines outside openapi.yaml and the tests. */
const mostLines: Readonly<Record<string, number>> = {};

/** Lines that a diff adds, by file. */
function addedLines(diff: string): Record<string, number> {
  const files = diff.split(/^diff --git .* b\//m).slice(1);
  return Object.fromEntries(
    files.map((file) => [file.slice(0, file.indexOf('\n')), [...file.matchAll(/^\+(?!\+\+ )/gm)].length]),
  );
}

test('there are exercises', () => {
  expect(exercises.length).toBe(5);
});

describe.each(exercises)('%s', (name) => {
  const file = resolve(folder, name);
  const added = addedLines(readFileSync(file, 'utf8'));
  const tests = Object.keys(added).filter((path) => path.startsWith('test/'));
  let project: ProjectCopy;

  beforeAll(async () => {
    project = new ProjectCopy();
    await project.run('git', 'apply', '--recount', file);
  }, 60_000);
  afterAll(() => {
    project.remove();
  });

  test('writes by hand the document, a handler, tests, and data that nobody can derive', () => {
    const others = Object.keys(added).filter(
      (path) =>
        path !== 'openapi/openapi.yaml' && !/^src\/api\/operations\/[\w-]+\.ts$/.test(path) && !tests.includes(path),
    );
    console.log(`${name}: ${JSON.stringify(added)}`);
    expect(others.filter((path) => path !== 'contract/replay/scenarios.ts')).toEqual([]);
    const lines = Object.entries(added).filter(([path]) => path.startsWith('src/'));
    expect(lines.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(mostLines[name] ?? 40);
  });

  test('the document is linted, and the rest is generated', async () => {
    await project.run('npm', 'run', 'lint:spec');
    await project.run('npm', 'run', 'generate');
  }, 120_000);

  test('compiles', async () => {
    await project.run('npm', 'run', 'typecheck');
  }, 120_000);

  test('passes its tests', async () => {
    await project.run('npm', 'test', '--', '--coverage=false', ...tests, 'documented-', 'error-catalogue');
  }, 120_000);

  test('passes Dredd', async () => {
    await project.run('npm', 'run', 'test:dredd');
  }, 180_000);

  test('passes the whole suite', async () => {
    expect(await project.run('npm', 'run', 'contract')).toMatch(/conforms|kept/);
  }, 300_000);
});
