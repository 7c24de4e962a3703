import type { CheckResult, Layer, Outcome, Report } from '../model.js';

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
