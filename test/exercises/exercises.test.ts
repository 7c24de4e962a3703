/**
 * Operations of other shapes, each as a diff: what the diff does not hold, the project does by itself. None of them is part of
 * the product. Each applies to the project as it is; all of them are generated and tested together, in one copy of it.
 */
import { isDeepStrictEqual } from 'node:util';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { ProjectCopy } from './project-copy.ts';

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** All that two documents hold. @throws {Error} where they differ in more than what only one of them holds */
function union(one: unknown, other: unknown, place = '#'): unknown {
  if (isTree(one) && isTree(other)) {
    const merged: Record<string, unknown> = { ...one };
    for (const [key, value] of Object.entries(other))
      merged[key] = key in one ? union(one[key], value, `${place}/${key}`) : value;
    return merged;
  }
  if (!isDeepStrictEqual(one, other)) throw new Error(`The documents do not agree on ${place}.`);
  return one;
}

const folder = import.meta.dirname;
const exercises = readdirSync(folder).filter((name) => name.endsWith('.diff'));

const operationIdsIn = (document: string) =>
  [...document.matchAll(/^ +operationId: (\w+)$/gm)].map(([, id = '']) => id);

/** The most lines that the handlers of an exercise may take. */
const maxLines = 30;

/** Lines that an exercise adds, by file. */
function addedLines(exercise: string): Record<string, number> {
  const files = readFileSync(resolve(folder, exercise), 'utf8')
    .split(/^diff --git .* b\//m)
    .slice(1);
  return Object.fromEntries(
    files.map((file) => [file.slice(0, file.indexOf('\n')), [...file.matchAll(/^\+(?!\+\+ )/gm)].length]),
  );
}

test('there are exercises', () => {
  expect(exercises.length).toBe(5);
});

test.each(exercises)('%s writes by hand the document, a handler, its test, and a line of data at most', (name) => {
  const added = addedLines(name);
  const handlers = Object.keys(added).filter((path) => /^src\/api\/operations\/[\w-]+\.ts$/.test(path));
  const known = ['openapi/openapi.yaml', 'contract/own-api/written-scenarios.ts', ...handlers];
  expect(Object.keys(added).filter((path) => !known.includes(path) && !path.startsWith('test/'))).toEqual([]);
  expect(handlers).toHaveLength(1);
  expect(added[handlers[0] ?? '']).toBeLessThanOrEqual(maxLines);
  expect(added['contract/own-api/written-scenarios.ts'] ?? 0).toBeLessThanOrEqual(4);
});

describe('all of them together', () => {
  let project: ProjectCopy;
  let operations: string[];

  beforeAll(async () => {
    project = new ProjectCopy();
    const document = join(project.folder, 'openapi/openapi.yaml');
    const own = readFileSync(document, 'utf8');
    const documents: unknown[] = [];
    for (const name of exercises) {
      writeFileSync(document, own);
      await project.run('git', 'apply', '--recount', resolve(folder, name));
      documents.push(parse(readFileSync(document, 'utf8'), { merge: true }));
    }
    const all = documents.reduce((one, other) => union(one, other));
    writeFileSync(document, stringify(all, { aliasDuplicateObjects: false }));
    operations = operationIdsIn(readFileSync(document, 'utf8')).filter((id) => !operationIdsIn(own).includes(id));
    await project.run('npm', 'run', 'generate');
  });

  test('are generated and pass their tests', async () => {
    const added = exercises.flatMap((name) => Object.keys(addedLines(name)));
    const tests = added.filter((path) => path.startsWith('test/'));
    expect(tests.length).toBeGreaterThanOrEqual(exercises.length);
    const options = ['--coverage=false', '--maxWorkers=2'];
    await project.run('npm', 'test', '--', ...options, ...tests, 'documented-', 'error-catalogue');
  });

  test.each([
    ['are described without a fault', 'lint:spec'],
    ['compile', 'typecheck'],
  ])('%s', async (_promise, script) => {
    await project.run('npm', 'run', script);
  });

  test('pass the whole suite, with the replay by Dredd', async () => {
    expect(operations.length).toBe(exercises.length);
    // The operations of the product are checked by `npm run contract` itself.
    const output = await project.run('npm', 'run', 'contract', '--', '--only', operations.join());
    expect(output).toMatch(/^The server conforms(\.| in all that was checked;)/m);
  });
});
