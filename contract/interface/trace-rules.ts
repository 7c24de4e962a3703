import type { CheckResult, Outcome, RuleResult } from '../run/model.ts';
import type { InterfaceRule } from './interface-rules.ts';

/** Tells of each rule which checks show it, whatever their layer, and what they have shown. */
export function traceRules(rules: readonly InterfaceRule[], results: readonly CheckResult[]): RuleResult[] {
  return rules.map(({ id, statement }) => {
    const showing = results.filter(({ check }) => check.rules.includes(id));
    return {
      id,
      statement,
      checks: [...new Set(showing.map(({ check }) => check.id))],
      outcome: outcomeOf(new Set(showing.map(({ outcome }) => outcome))),
    };
  });
}

function outcomeOf(outcomes: ReadonlySet<Outcome>): Outcome {
  if (outcomes.has('failed')) return 'failed';
  return outcomes.has('passed') ? 'passed' : 'not run';
}
