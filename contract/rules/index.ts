import type { Check, CheckResult, RuleResult } from '../model.js';

export interface InterfaceRule {
  readonly id: string;
  readonly statement: string;
}

export const interfaceRules: readonly InterfaceRule[] = [];
export const ruleChecks: readonly Check[] = [];

export function traceRules(rules: readonly InterfaceRule[], results: readonly CheckResult[]): RuleResult[] {
  return rules.map((rule) => ({ ...rule, checks: results.map(({ check }) => check.id), outcome: 'not run' }));
}
