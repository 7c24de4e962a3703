import Table from 'cli-table3';
import type { Scenario, ScenarioResult } from './scenario.ts';

/** The outcome of a completed scenario, or why this machine cannot run it. */
export type Outcome = Pick<Scenario, 'name' | 'fault' | 'holds'> &
  ((ScenarioResult & { readonly seconds: number }) | { readonly missing: string });

const counts = ['Faults', 'Updates 200', 'Reads 200', 'Refused', 'No response'];
const head = ['Scenario', 'Result', ...counts, 'Longest response', '200 again after'];

/** Whether a scenario violated a guarantee. */
export function isBroken(outcome: Outcome): boolean {
  return 'problems' in outcome && outcome.problems.length > 0;
}

/** One line for the outcome of a scenario, and one for each problem. */
export function linesOf(outcome: Outcome): string[] {
  if ('missing' in outcome) return [`not run  ${outcome.name}: ${outcome.missing}`];
  const problems = outcome.problems.slice(0, 10).map((problem) => `         ${problem}`);
  return [`${resultOf(outcome).padEnd(8)} ${outcome.name} (${outcome.seconds.toFixed(1)} s)`, ...problems];
}

/** The table for the terminal. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const outcome of outcomes) table.push([outcome.name, ...cellsOf(outcome)]);
  return table.toString();
}

function resultOf(outcome: Outcome): string {
  if ('missing' in outcome) return 'not run';
  return isBroken(outcome) ? 'BROKEN' : 'survived';
}

function cellsOf(outcome: Outcome): string[] {
  if ('missing' in outcome) return [resultOf(outcome)];
  const { faults, updates, reads, refused, withoutResponse, longestResponseSeconds, recoverySeconds } = outcome.figures;
  const times = [longestResponseSeconds, recoverySeconds].map((time) => `${time.toFixed(2)} s`);
  return [resultOf(outcome), ...[faults, updates, reads, refused, withoutResponse].map(String), ...times];
}
