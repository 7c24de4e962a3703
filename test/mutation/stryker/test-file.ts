/**
 * Loads and runs one test file with jest-circus, Jest's own engine, in this process. Modules stay loaded, so that the
 * next mutant requires only the tests of a file to run again.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Circus } from '@jest/types';
import { addEventHandler, afterAll, describe, getState, run } from 'jest-circus';
import { closeOpened, keepOpened } from '../../support/afterwards.ts';
import { resetGlobals } from '../../jest/jest-globals.ts';
import { moveCoverage, mutated } from './shared-state.ts';
import { guarded } from './guard-process.ts';

type Group = Circus.DescribeBlock;
type Test = Circus.TestEntry;

/** The result of a test. */
export interface Outcome {
  readonly id: string;
  readonly milliseconds: number;
  readonly failure?: string;
}

/** A loaded test file. */
export interface TestFile {
  readonly group: Group;
  readonly tests: ReadonlyMap<string, Test>;
}

const hookId = 'hook';
const timeoutMilliseconds = 30_000;
const ids = new WeakMap<Test, string>();
const declared = new WeakMap<Test, Partial<Test>>();

/** The URL of a file in the working directory of the tests. */
export const addressOf = (file: string): string => pathToFileURL(resolve(file)).href;

/** Loads a test file, with the modules that are not loaded yet. */
export async function loadTestFile(file: string): Promise<TestFile> {
  const state = getState();
  const root = state.rootDescribeBlock;
  state.hasStarted = false;
  describe(file, () => undefined);
  const group = root.children.at(-1);
  if (group?.type !== 'describeBlock') throw new Error('There is no group.');
  state.currentDescribeBlock = group;
  try {
    await import(addressOf(file));
    keepOpened();
    afterAll(closeOpened);
  } finally {
    state.currentDescribeBlock = root;
  }
  const tests = new Map<string, Test>();
  for (const test of testsOf(group)) {
    const name = fullName(test);
    const id = tests.has(name) ? `${name} (${tests.size})` : name;
    tests.set(id, test);
    ids.set(test, id);
    declared.set(test, { ...test });
  }
  return { group, tests };
}

/**
 * Runs tests of a file up to the first one that fails.
 * @param timeouts in milliseconds, by the ids of the tests to run; by default all tests run with their own timeouts
 */
export async function runTestFile({ group, tests }: TestFile, timeouts?: Map<string, number>): Promise<Outcome[]> {
  const state = getState();
  for (const [id, test] of tests) {
    Object.assign(test, declared.get(test), { errors: [] });
    if (timeouts?.has(id) === false) test.mode = 'skip';
    test.timeout = timeouts?.get(id) ?? test.timeout ?? timeoutMilliseconds;
  }
  state.rootDescribeBlock.children = [group];
  state.hasStarted = false;
  state.testTimeout = timeoutMilliseconds;
  state.unhandledErrors = [];
  const strayErrors = await guarded(run);
  resetGlobals();
  const outcomes = [...tests].filter(([, { status }]) => status === 'done').map(([id, test]) => outcomeOf(id, test));
  const [other] = strayErrors.concat(state.unhandledErrors).flat();
  const [first, ...rest] = outcomes;
  return first && other !== undefined
    ? [{ ...first, failure: first.failure ?? describeError(other) }, ...rest]
    : outcomes;
}

function outcomeOf(id: string, { duration, errors }: Test): Outcome {
  const result = { id, milliseconds: duration ?? 0 };
  return errors.length === 0 ? result : { ...result, failure: describeError(errors.flat()[0]) };
}

const describeError = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

addEventHandler((event: Circus.Event) => {
  if (event.name === 'test_started') mutated.currentTestId = ids.get(event.test);
  else if (event.name === 'hook_start' && isOfGroup(event.hook)) mutated.currentTestId = hookId;
  else if (event.name === 'hook_success' || event.name === 'hook_failure') {
    if (isOfGroup(event.hook))
      moveCoverage(
        hookId,
        testsOf(event.hook.parent).flatMap((test) => ids.get(test) ?? []),
      );
  } else if (event.name === 'test_done' && event.test.errors.length > 0) skipRest(getState().rootDescribeBlock);
});

const isOfGroup = ({ type }: Circus.Hook) => type === 'beforeAll' || type === 'afterAll';

function skipRest({ children }: Group): void {
  for (const child of children)
    if (child.type === 'describeBlock') skipRest(child);
    else if (child.status === null) child.mode = 'skip';
}

const testsOf = ({ children }: Group): Test[] =>
  children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));

function fullName({ name, parent }: Test | Group): string {
  return parent ? `${fullName(parent)} ${name}`.trimStart() : '';
}
