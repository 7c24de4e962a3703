import type { CheckResult, Failure, Layer, Outcome, Report } from '../run/model.ts';

export const layers = ['replay', 'rules', 'generated'] as const satisfies Layer[];

/** How many of something came out how. */
export type Tally = Record<Outcome, number>;

export function tally(results: readonly { readonly outcome: Outcome }[]): Tally {
  const counts: Tally = { passed: 0, failed: 0, 'not run': 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

export function resultsOf({ results }: Report, layer: Layer): CheckResult[] {
  return results.filter(({ check }) => check.layer === layer);
}

export function failedChecks({ results }: Report): CheckResult[] {
  return results.filter(({ outcome }) => outcome === 'failed');
}

/** The checks that were not run, by the reason, the most frequent reason first. */
export function notRunByReason({ results }: Report): [reason: string, checks: CheckResult[]][] {
  const reasons = new Map<string, CheckResult[]>();
  for (const result of results)
    if (result.outcome === 'not run') {
      const reason = result.reason ?? 'no reason is known';
      reasons.set(reason, [...(reasons.get(reason) ?? []), result]);
    }
  return [...reasons].sort(([, a], [, b]) => b.length - a.length);
}

export function seconds(duration: number): string {
  return `${duration.toFixed(1)} s`;
}

/** The whole report in a sentence. */
export function verdictOf(report: Report): string {
  if (report.conforms) return 'The server conforms';
  return failedChecks(report).length > 0 ? 'The server does not conform' : 'The server is not shown to conform';
}

/** What one exchange of a check has shown. */
export interface Observation extends Omit<Failure, 'message'> {
  readonly messages: string[];
}

/** The failures of a check, those of the same exchange together. */
export function observationsOf({ failures }: CheckResult): Observation[] {
  const observations = new Map<string, Observation>();
  for (const { message, ...exchange } of failures) {
    const key = JSON.stringify([exchange.curl, exchange.response]);
    const observation = observations.get(key) ?? { messages: [], ...exchange };
    observations.set(key, observation);
    if (!observation.messages.includes(message)) observation.messages.push(message);
  }
  return [...observations.values()];
}
