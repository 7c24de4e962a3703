import { describe, expect, test } from '@jest/globals';
import type { CheckResult, Layer, Outcome } from '../../contract/run/model.ts';
import { traceRules } from '../../contract/own-api/trace-rules.ts';

const rule = { id: '4.2-R1', source: 'interface' as const, statement: 'An invalid update is refused.' };

const result = (id: string, rules: string[], outcome: Outcome, layer: Layer = 'rules'): CheckResult => ({
  check: { id, layer, source: 'interface', title: id, rules },
  outcome,
  ...(outcome === 'not run' && { reason: 'missing: member_key' }),
  failures: [],
  exchanges: 1,
  durationSeconds: 0.1,
});

describe('traceRules', () => {
  test.each<[outcome: Outcome, of: Outcome[]]>([
    ['passed', ['passed']],
    ['passed', ['passed', 'not run']],
    ['failed', ['failed']],
    ['failed', ['passed', 'failed', 'not run']],
    ['not run', ['not run', 'not run']],
    ['not run', []],
  ])('a rule is %s if its checks are %j', (outcome, of) => {
    const results = of.map((each, index) => result(`check-${index}`, [rule.id], each));
    const reason = outcome === 'not run' && {
      reason: of.length > 0 ? 'missing: member_key' : 'none of its checks was chosen',
    };
    expect(traceRules([rule], results)).toEqual([
      { ...rule, checks: results.map(({ check }) => check.id), outcome, ...reason },
    ]);
  });

  test('names the checks of every layer that show the rule, and no others', () => {
    const results = [
      result('a', ['4.2-R1', '5-A1'], 'passed', 'generated'),
      result('b', ['4.2-R10'], 'failed'),
      result('c', ['4.2-R1'], 'passed', 'replay'),
      result('c', ['4.2-R1'], 'passed', 'replay'),
    ];
    expect(traceRules([rule], results)).toEqual([{ ...rule, checks: ['a', 'c'], outcome: 'passed' }]);
  });

  test('keeps the order of the rules', () => {
    const second = { id: '5-A1', source: 'interface' as const, statement: 'Strangers are refused.' };
    expect(traceRules([second, rule], []).map(({ id }) => id)).toEqual(['5-A1', '4.2-R1']);
  });
});
