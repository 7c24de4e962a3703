import { describe, expect, test } from '@jest/globals';
import { generatedChecks } from '../../contract/checks/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { ConformanceRecord } from '../../contract/run/conformance-record.ts';
import { shownApart } from '../../contract/interface/expect.ts';
import { interfaceRules, ruleChecks } from '../../contract/interface/index.ts';

const conformance = new ConformanceRecord(ownDocument, { base_url: '', case_base_url: '' }).results();
const allChecks = [...ruleChecks, ...generatedChecks(1), ...conformance.map(({ check }) => check)];
const ruleIds = interfaceRules.map(({ id }) => id);
const checkIds = ruleChecks.map(({ id }) => id);

describe('the rules of the interface document', () => {
  test('have identifiers of their own', () => {
    expect(new Set(ruleIds).size).toBe(ruleIds.length);
  });

  test.each(ruleIds)('%s has a check', (id) => {
    expect(allChecks.filter(({ rules }) => rules.includes(id))).not.toHaveLength(0);
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

describe('the source of a check', () => {
  test('is that of the rule it is named after', () => {
    for (const { id, source } of ruleChecks)
      expect([id, source]).toEqual([id, /^D\d/.test(id) ? 'decision' : 'interface']);
  });

  test('is the interface, if it shows rules of the interface document, so that none fails for what is not owed', () => {
    const rules = new Set(interfaceRules.filter(({ source }) => source === 'interface').map(({ id }) => id));
    const others = allChecks.filter((check) => check.source !== 'interface' && check.rules.some((id) => rules.has(id)));
    expect(others.map(({ id }) => id)).toEqual([]);
  });

  test('is the document for what is derived from it, but for what the interface document says of a refusal', () => {
    const sourceOf = (id: string) => allChecks.find((check) => check.id === id)?.source;
    expect(sourceOf('generated.updateVerificationSetting.body.enabled.null')).toBe('interface');
    expect(sourceOf('generated.updateVerificationSetting.body.array')).toBe('document');
    expect(sourceOf('generated.updateVerificationSetting.security.unknown')).toBe('interface');
    expect(sourceOf('generated.updateVerificationSetting.security.doubled-header')).toBe('decision');
    expect(sourceOf('generated.getCase.security.unknown')).toBe('document');
    expect(sourceOf('conformance.getCase.200')).toBe('document');
    expect(sourceOf('conformance.getCase.200.relation')).toBe('decision');
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

test('a server that shows the cases of others breaks a promise of the interface', async () => {
  const checks = ruleChecks.filter(({ source, id }) => source === 'interface' && /-reading-(other-)?case-id$/.test(id));
  expect(checks.map(({ id }) => id)).toContain('5-S2.access-token-reading-other-case-id');
  const unused = { credentials: { base_url: '', case_base_url: '' }, operator: undefined, seed: 1 };
  const outcome = (check: (typeof checks)[number], status: number) =>
    check.run({
      ...unused,
      call: () => Promise.resolve({ status, headers: {}, text: '{"case_id":"1"}' }),
      credential: () => 'x',
      tell: () => undefined,
    });
  for (const check of checks) {
    await expect(outcome(check, 200)).rejects.toThrow(/^expected a refusal of /);
    for (const status of [403, 404]) await outcome(check, status);
  }
});

test.each<[what: string, one: unknown, other: unknown, shown: [string, string]]>([
  ['short values whole', { a: 1 }, { a: 2 }, ['{"a":1}', '{"a":2}']],
  [
    'long ones where they differ',
    `${'x'.repeat(150)}a`,
    `${'x'.repeat(150)}b`,
    [`…${'x'.repeat(30)}a"`, `…${'x'.repeat(30)}b"`],
  ],
  ['nothing beside a long one', undefined, 'x'.repeat(150), ['nothing', `"${'x'.repeat(99)}…`]],
  ['members in one order', { b: 1, a: 1 }, { a: 1, b: 2 }, ['{"a":1,"b":1}', '{"a":1,"b":2}']],
])('a finding shows %s', (_what, one, other, shown) => {
  expect(shownApart(one, other)).toEqual(shown);
});
