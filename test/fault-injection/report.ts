import Table from 'cli-table3';
import type { Figures, Scenario, ScenarioResult } from './scenario.ts';

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

/** The tables for the documentation: the measurements, and the description of each scenario. */
export function markdownOf(outcomes: readonly Outcome[], seed: number): string {
  const run = outcomes.filter((outcome) => 'figures' in outcome);
  const missing = outcomes.filter((outcome) => 'missing' in outcome);
  return [
    `Measured with Node.js ${process.versions.node}, seed ${seed}.`,
    '',
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...run.map((outcome) => `| ${[`\`${outcome.name}\``, ...cellsOf(outcome)].join(' | ')} |`),
    '',
    '| Scenario | What is broken | Guarantee | Also measured |',
    '|---|---|---|---|',
    ...run.map(
      (outcome) => `| \`${outcome.name}\` | ${outcome.fault} | ${outcome.holds} | ${moreOf(outcome.figures)} |`,
    ),
    ...missing.map(({ name, missing: reason }) => `\nNot run: \`${name}\` (${reason}).`),
    '',
  ].join('\n');
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

function moreOf({ more = {} }: Figures): string {
  const parts = Object.entries(more).map(
    ([name, value]) => `${name}: ${Number.isInteger(value) ? value : value.toFixed(2)}`,
  );
  return parts.join('; ') || '-';
}
