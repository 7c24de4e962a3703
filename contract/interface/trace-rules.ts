import type { CheckResult, Outcome, RuleResult } from '../run/model.ts';
import type { InterfaceRule } from './interface-rules.ts';

/** Lists the checks of each rule, in any layer, with the rule's outcome. */
export function traceRules(rules: readonly InterfaceRule[], results: readonly CheckResult[]): RuleResult[] {
  return rules.map((rule) => {
    const showing = results.filter(({ check }) => check.rules.includes(rule.id));
    const outcome = outcomeOf(new Set(showing.map((result) => result.outcome)));
    // If there are several reasons, the shortest shows the least that is needed to check the rule.
    const [reason = 'none of its checks was chosen'] = showing
      .flatMap((result) => result.reason ?? [])
      .sort((a, b) => a.length - b.length);
    return {
      ...rule,
      checks: [...new Set(showing.map(({ check }) => check.id))],
      outcome,
      ...(outcome === 'not run' && { reason }),
    };
  });
}

function outcomeOf(outcomes: ReadonlySet<Outcome>): Outcome {
  for (const outcome of ['failed', 'known failure'] as const) if (outcomes.has(outcome)) return outcome;
  return outcomes.has('passed') ? 'passed' : 'not run';
}
