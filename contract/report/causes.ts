import type { CheckResult, Report } from '../run/model.ts';
import { failedChecks } from './tally.ts';

/** Failed checks with the same finding, which a single fault of the server probably explains. */
export interface Cause {
  /** The finding, without the parts that differ between the checks. */
  readonly found: string;
  /** The first one is reported in full. */
  readonly results: readonly CheckResult[];
  /** In how many exchanges it was found. */
  readonly exchanges: number;
}

/** The failed checks by likely cause, sorted by descending number of failures. */
export function causesOf(report: Report): Cause[] {
  const byFinding = new Map<string, CheckResult[]>();
  for (const result of failedChecks(report)) {
    const found = commonPart(result.failures[0]?.message ?? '');
    byFinding.set(found, [...(byFinding.get(found) ?? []), result]);
  }
  return [...byFinding]
    .map(([found, results]) => ({ found, results, exchanges: sum(results.map(exchangesOf)) }))
    .sort((a, b) => b.results.length - a.results.length || b.exchanges - a.exchanges);
}

/** The finding without the caller and the input. */
function commonPart(message: string): string {
  return message
    .replace(/; the smallest input found is .*$/s, '')
    .replace(/^(expected .*?) for .*(, got .*)$/s, '$1$2');
}

function exchangesOf({ failures: [first] }: CheckResult): number {
  return first?.count ?? 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
