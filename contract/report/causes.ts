import type { CheckResult, Report } from '../run/model.ts';
import { failedChecks } from './tally.ts';

/** Failed checks that one fault of the server is likely to explain, because they have found the same. */
export interface Cause {
  /** What they have found, without what differs between them. */
  readonly found: string;
  /** The first is reported in full. */
  readonly results: readonly CheckResult[];
  /** In how many exchanges it was found. */
  readonly exchanges: number;
}

/** The failed checks by likely cause, the cause of most failures first. */
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

/** What checks of the same fault have in common: not who asked, not with which input. */
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
