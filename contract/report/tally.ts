import { count } from '../cli/output.ts';
import {
  type CheckResult,
  type Failure,
  type Layer,
  layers,
  type Outcome,
  type Report,
  type RuleResult,
  type Source,
  sources,
} from '../run/model.ts';

export { layers };

/** Counts by outcome. */
export type Tally = Record<Outcome, number>;

export function tally(results: readonly { readonly outcome: Outcome }[]): Tally {
  const counts: Tally = { passed: 0, failed: 0, 'known failure': 0, 'not run': 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

/** The counts in the terms of test runners, in which a known failure is skipped. */
export function countsOf(counts: Tally): { passed: number; failed: number; skipped: number } {
  const { passed, failed } = counts;
  return { passed, failed, skipped: counts['not run'] + counts['known failure'] };
}

export function resultsOf({ results }: Report, layer: Layer): CheckResult[] {
  return results.filter(({ check }) => check.layer === layer);
}

export function resultsFrom({ results }: Report, source: Source): CheckResult[] {
  return results.filter(({ check }) => check.source === source);
}

export function failedChecks({ results }: Report): CheckResult[] {
  return results.filter(({ outcome }) => outcome === 'failed');
}

/** The checks that were not run, by reason, most frequent first. */
export function notRunByReason({ results }: Report): [reason: string, checks: CheckResult[]][] {
  return byReason(results.filter(({ outcome }) => outcome === 'not run'));
}

function byReason<Item extends { readonly reason?: string }>(items: readonly Item[]): [string, Item[]][] {
  const reasons = new Map<string, Item[]>();
  for (const item of items) {
    const reason = item.reason ?? 'no reason is known';
    reasons.set(reason, [...(reasons.get(reason) ?? []), item]);
  }
  return [...reasons].sort(([, a], [, b]) => b.length - a.length);
}

export function seconds(duration: number): string {
  return `${duration.toFixed(1)} s`;
}

const names: Record<Source, string> = {
  interface: 'the interface',
  document: 'the document',
  decision: 'the decisions',
};

/** The whole report in one sentence. It does not claim conformance for parts that were not checked. */
export function verdictOf(report: Report): string {
  const { promises, rules, results, conforms } = report;
  const whole = promises.length === sources.length;
  const whom = whole ? '' : ` to ${promises.map((source) => names[source]).join(' and ')}`;
  if (!conforms) return `The server ${failedChecks(report).length > 0 ? 'does not' : 'is not shown to'} conform${whom}`;
  const [openRules, { 'not run': openChecks, 'known failure': known }] = [tally(rules)['not run'], tally(results)];
  const but = known > 0 ? ` but ${count(known, 'known failure')}` : '';
  if (openChecks === 0) return `The server conforms${whom}${but}`;
  const open = openRules > 0 ? `${count(openRules, 'rule')} not checked` : `${count(openChecks, 'check')} not run`;
  return `The server conforms${whom} in all that was checked${but}; ${open}`;
}

/** The rules that no check has verified, by reason. */
export function rulesNotShown({ rules }: Report): [reason: string, rules: RuleResult[]][] {
  return byReason(rules.filter(({ outcome }) => outcome === 'not run'));
}

/** The findings of a check in one exchange. */
export interface Observation extends Omit<Failure, 'message' | 'count'> {
  readonly messages: string[];
}

/** The failures of a check, grouped by exchange, with how often they occurred. */
export function observationsOf({ failures, exchanges }: CheckResult): Observation[] {
  const observations = new Map<string, Observation>();
  for (const { message: found, count: times, ...exchange } of failures) {
    const message = times === undefined ? found : `${found} (${times} of ${count(exchanges, 'response')})`;
    const key = JSON.stringify([exchange.curl, exchange.response]);
    const observation = observations.get(key) ?? { messages: [], ...exchange };
    observations.set(key, observation);
    if (!observation.messages.includes(message)) observation.messages.push(message);
  }
  return [...observations.values()];
}
