import { type TestResult, TestStatus } from '@stryker-mutator/api/test-runner';
import type { Outcome } from './test-file.ts';

/** The results of a file's tests; the duration of the first includes loading and hooks. */
export function testResults(file: string, outcomes: readonly Outcome[], milliseconds: number): TestResult[] {
  const rest = outcomes.reduce((left, outcome) => left - outcome.milliseconds, milliseconds);
  return outcomes.map(({ id, milliseconds: own, failure }, index) => {
    const result = { id, name: id, fileName: file, timeSpentMs: own + (index === 0 ? Math.max(rest, 0) : 0) };
    return failure === undefined
      ? { ...result, status: TestStatus.Success }
      : { ...result, status: TestStatus.Failed, failureMessage: failure };
  });
}
