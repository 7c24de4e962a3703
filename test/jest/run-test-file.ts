/** The work of Jest's processes: runs one test file after the other, whose modules are loaded once. */
import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import { createEmptyTestResult, type AssertionResult, type TestResult } from '@jest/test-result';
import type { Circus, Config } from '@jest/types';
import { addEventHandler, afterAll, getState, resetState, run } from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import { closeOpened } from '../support/afterwards.ts';
import { startCoverage } from './coverage.ts';
import { resetGlobals } from './jest-globals.ts';
import { provideGlobals } from './provide-globals.ts';

/** What Jest asks for. */
interface Order {
  readonly testPath: string;
  readonly config: Config.ProjectConfig;
  readonly globalConfig: Config.GlobalConfig;
}

provideGlobals();
addEventHandler(check);
process.on('uncaughtException', fail).on('unhandledRejection', fail);
let coverage: ReturnType<typeof startCoverage> | undefined;

/** Runs a test file. A fault of the file itself, or one that no test awaited, fails it too. */
export default async function runTestFile({ testPath, config, globalConfig }: Order): Promise<TestResult> {
  if (globalConfig.collectCoverage)
    coverage ??= startCoverage(
      globalConfig.collectCoverageFrom.map((file) => pathToFileURL(`${config.rootDir}/${file}`).href),
    );
  const takeCoverage = await coverage;
  const start = Date.now();
  prepare(testPath, globalConfig, config);
  await import(pathToFileURL(testPath).href);
  afterAll(closeOpened);
  const { testResults, unhandledErrors } = await run();
  resetGlobals();
  const end = Date.now();
  const results = testResults.map(assertionResult);
  const count = (status: AssertionResult['status']) => results.filter((result) => result.status === status).length;
  const failures = [
    formatResultsErrors(results, config, globalConfig, testPath),
    ...unhandledErrors.map((error) => formatExecError(error, config, globalConfig, testPath)),
  ].filter((text) => text !== null);
  const empty = createEmptyTestResult();
  return {
    ...empty,
    ...(config.displayName && { displayName: config.displayName }),
    testFilePath: testPath,
    testResults: results,
    failureMessage: failures.length === 0 ? null : failures.join('\n'),
    numPassingTests: count('passed'),
    numFailingTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { ...empty.perfStats, start, end, runtime: end - start },
    ...(unhandledErrors.length > 0 && { testExecError: { message: '', stack: unhandledErrors.join('\n') } }),
    ...(takeCoverage && { v8Coverage: await takeCoverage() }),
  };
}

/** Called by Jest at the end of the run: what a test has left open keeps no process alive. */
export function teardown(): void {
  setImmediate(() => process.exit());
}

function prepare(
  testPath: string,
  { testNamePattern, testTimeout, expand }: Config.GlobalConfig & { testTimeout?: number },
  config: Config.ProjectConfig,
): void {
  resetState();
  const state = getState();
  state.testNamePattern =
    testNamePattern === undefined || testNamePattern === '' ? null : new RegExp(testNamePattern, 'i');
  state.testTimeout = testTimeout ?? config.testTimeout;
  jestExpect.setState({ testPath, expand });
}

/** Counts the assertions of each test, and fails it for those that `expect.assertions` and the like asked for in vain. */
function check(event: Circus.Event): void {
  if (event.name === 'test_start') jestExpect.setState({ currentTestName: event.test.name, numPassingAsserts: 0 });
  if (event.name !== 'test_done') return;
  const { test } = event;
  const { isExpectingAssertions, numPassingAsserts, suppressedErrors } = jestExpect.getState();
  const missing = jestExpect.extractExpectedAssertionsErrors();
  test.numPassingAsserts = numPassingAsserts;
  test.errors.push(...suppressedErrors);
  jestExpect.setState({ suppressedErrors: [] });
  if (!isExpectingAssertions || test.errors.length === 0) test.errors.push(...missing.map(({ error }) => error));
}

function assertionResult(result: Circus.TestResult): AssertionResult {
  const path = result.testPath.slice(1).map(String);
  const { status, duration, errors, errorsDetailed, invocations, numPassingAsserts, retryReasons, startedAt } = result;
  return {
    ancestorTitles: path.slice(0, -1),
    title: path.at(-1) ?? '',
    fullName: path.join(' '),
    status: status === 'skip' ? 'pending' : status === 'todo' ? 'todo' : errors.length > 0 ? 'failed' : 'passed',
    failureMessages: [...errors],
    failureDetails: [...errorsDetailed],
    duration: duration ?? null,
    invocations,
    location: null,
    numPassingAsserts,
    retryReasons: [...retryReasons],
    startAt: startedAt ?? null,
  };
}

/** An error that nobody awaited fails the test that runs, or the file. */
function fail(error: unknown): void {
  const { currentlyRunningTest, unhandledErrors } = getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push([error, new Error('not awaited')]);
}
