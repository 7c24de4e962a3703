import { describe, expect, test } from '@jest/globals';
import { interfaceRules, ruleChecks } from '../../contract/interface/index.ts';

const ruleIds = interfaceRules.map(({ id }) => id);
const checkIds = ruleChecks.map(({ id }) => id);

describe('the rules of the interface document', () => {
  test('have identifiers of their own', () => {
    expect(new Set(ruleIds).size).toBe(ruleIds.length);
  });

  test.each(ruleIds)('%s has a check', (id) => {
    expect(ruleChecks.filter(({ rules }) => rules.includes(id))).not.toHaveLength(0);
  });

  test.each([
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '3.1',
    '3.2',
    '3.3',
    '3.4',
    '4.1',
    '4.2',
    '4.3',
    '5',
    '6',
    '7',
    '8',
    '9',
  ])('cover section %s', (section) => {
    expect(ruleIds.filter((id) => id.startsWith(section))).not.toHaveLength(0);
  });
});

describe('the checks of the rules', () => {
  test('have identifiers of their own, made of letters, digits, dots and hyphens', () => {
    expect(new Set(checkIds).size).toBe(checkIds.length);
    expect(checkIds.filter((id) => !/^[\w.-]+$/.test(id))).toEqual([]);
  });

  test.each(ruleChecks.map((check) => [check.id, check] as const))('%s', (id, { rules, needs }) => {
    expect(rules.filter((rule) => !ruleIds.includes(rule))).toEqual([]);
    expect(rules).toContain(ruleIds.find((rule) => id.startsWith(`${rule}.`)));
    expect(new Set(rules).size).toBe(rules.length);
    expect(new Set(needs).size).toBe(needs.length);
  });
});
