import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { ownDocument } from '../../contract/document/own-document.ts';
import { createConformanceRecord } from '../../contract/run/conformance.ts';
import { allChecks as checksOf } from '../../contract/run/run.ts';
import { refusalFault, responseRules, runJudge } from '../../contract/own-api/response-rules.ts';
import { ruleChecks } from '../../contract/own-api/checks.ts';
import { interfaceRules, sourceOf, traceRules } from '../../contract/own-api/rules.ts';
import type { CheckResult, Layer, Outcome } from '../../contract/run/model.ts';

const conformance = createConformanceRecord(ownDocument, { base_url: '', case_base_url: '' }).results();
const allChecks = [...checksOf(ownDocument, 1), ...conformance.map(({ check }) => check)];
const ruleIds = interfaceRules.map(({ id }) => id);

test.each(ruleIds)('the rule %s of the interface document has a check', (id) => {
  expect(allChecks.filter(({ rules }) => rules.includes(id))).not.toHaveLength(0);
});

describe('the source of a check', () => {
  test('is the interface, if it shows rules of the interface document, so that none fails for what is not owed', () => {
    const rules = new Set(interfaceRules.filter(({ source }) => source === 'interface').map(({ id }) => id));
    const others = allChecks.filter((check) => check.source !== 'interface' && check.rules.some((id) => rules.has(id)));
    expect(others.map(({ id }) => id)).toEqual([]);
  });

  test('is the document for what is derived from it, but for what the interface document says of a refusal', () => {
    const sourceOf = (id: string) => allChecks.find((check) => check.id === id)?.source;
    expect(sourceOf('explored.updateVerificationSetting.body')).toBe('interface');
    expect(sourceOf('explored.updateVerificationSetting.body.decided')).toBe('decision');
    expect(sourceOf('explored.updateVerificationSetting.credential')).toBe('interface');
    expect(sourceOf('explored.getCase.credential')).toBe('document');
    expect(sourceOf('explored.updateVerificationSetting.credential.decided')).toBe('decision');
    expect(sourceOf('explored.service.message')).toBe('document');
    expect(sourceOf('conformance.getCase.200')).toBe('document');
    expect(sourceOf('conformance.rules.case-relations')).toBe('decision');
  });
});

test.each(ruleChecks.map((check) => [check.id, check] as const))(
  'the checks of the rules: %s',
  (id, { rules, needs }) => {
    expect(rules.filter((rule) => !ruleIds.includes(rule))).toEqual([]);
    expect(rules).toContain(ruleIds.find((rule) => id.startsWith(`${rule}.`)));
    expect(new Set(rules).size).toBe(rules.length);
    expect(new Set(needs).size).toBe(needs.length);
  },
);

const setting = '/organisations/features/verification';
const sent = (path: string, ...headers: [string, string][]) => ({ method: 'GET', path, headers });
const error = '{"error_code":"a","error_message":"b"}';
const aCase = {
  case_id: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
  ...{ label: 'é'.repeat(255), is_locked: false, locked_at: null, files: [] as object[], total_files: 0 },
  ...{ metadata: {}, file_analysis_status: 'waiting_for_file_analysis', file_analysis_completed_at: null },
  ...{ created_at: '2026-01-05T08:00:00Z', updated_at: '2026-01-05T08:00:00Z' },
};
const today = { date: 'Mon, 05 Jan 2026 12:00:00 GMT' };
const limit = { 'ratelimit-policy': '"credential";q=9;w=60', ratelimit: '"credential";r=8;t=60' };
const spent = { ...limit, ratelimit: '"credential";r=0;t=60', 'retry-after': '60' };
const exceeded = '{"error_code":"request.rate-limit.exceeded","error_message":"b"}';
const bearer = 'Bearer realm="document-analysis-uk"';
const challenge = (value: string) => ({ 'www-authenticate': value });
const ofCase = (changes: object) => JSON.stringify({ ...aCase, ...changes });

test.each<[promise: string, request: ReturnType<typeof sent>, status: number, headers: object, text: string]>([
  ['error-object', sent(setting), 403, {}, '{"error_code":"","error_message":"b"}'],
  ['error-object', sent('/cases/1'), 404, {}, '{"error_code":"a","error_message":"b","error_details":[]}'],
  ['case-fields', sent('/cases/1'), 200, today, ofCase({ file_analysis_status: 'failed' })],
  ['case-fields', sent('/cases/1'), 200, today, ofCase({ updated_at: '2026-01-05T12:02:00Z' })],
  ['case-sizes', sent('/cases/1'), 200, today, ofCase({ files: [{ file_id: aCase.case_id }], total_files: 1 })],
  ['case-sizes', sent('/cases/1'), 200, today, ofCase({ metadata: { x: 'x'.repeat(65_536) } })],
  ['challenge', sent(setting), 401, challenge('ApiKey realm="document-analysis-ca"'), error],
  ['challenge', sent('/cases/1'), 401, challenge(`${bearer}, error="invalid_token"`), error],
  ['challenge', sent('/cases/1', ['Authorization', 'Bearer x']), 401, challenge(bearer), error],
  ['limit', sent(setting), 200, { ...limit, ratelimit: '"credential";r=9;t=60' }, '{}'],
  ['limit', sent(setting), 429, { ...spent, 'retry-after': undefined }, exceeded],
  ['limit', sent(setting), 429, { ...spent, 'retry-after': '61' }, exceeded],
  ['limit', sent(setting), 429, spent, error],
  ['request-id', sent('/x', ['X-Request-Id', 'a']), 404, { 'x-request-id': 'b' }, error],
  ['request-id', sent('/x', ['X-Request-Id', 'two words']), 404, { 'x-request-id': 'two words' }, error],
  ['request-id', sent('/x'), 404, { 'x-request-id': 'known' }, error],
  ['other-origins', sent(setting), 200, { 'access-control-allow-origin': '*' }, '{}'],
])('the responses of a run are judged by rules that: %s (%#)', (promise, request, status, headers, text) => {
  const judge = runJudge(ownDocument, { region: 'uk' });
  judge(sent('/x'), { status: 404, headers: { 'x-request-id': 'known' }, text: error });
  const response = { status, headers: headers as Record<string, string>, text };
  const violations = judge(request, response);
  expect(violations.map(({ rule }) => rule)).toEqual([promise]);
});

test('the responses of a run are judged by rules that belong to the interface or to decisions', () => {
  for (const { rules } of Object.values(responseRules))
    expect(interfaceRules.filter(({ id }) => rules.includes(id)).map(({ source }) => source)).toEqual(
      rules.map(() => sourceOf(rules[0])),
    );
});

const code = 'request.cases.case.not-found';
const unknown = { promise: 'not-found', operation: undefined, statuses: [404], code } as const;
const response = (status: number, told: string) => ({
  ...{ method: 'GET', status, headers: {}, text: `{"error_code":"${told}","error_message":"b"}` },
});

test.each<[status: number, code: string, fault: string | undefined]>([
  [404, code, undefined],
  [403, 'request.forbidden', undefined],
  [404, 'a', 'expected the error code request.cases.case.not-found, got a'],
  [200, 'a', 'expected a refusal, got 200'],
  [500, 'a', 'expected a refusal, got 500'],
])('a refusal of which the interface document names no status may be %i %s', (status, told, fault) => {
  expect(refusalFault(unknown, response(status, told))).toBe(fault);
});

/** Where each rule is shown, as the lines of the table in docs/contract-testing.md. */
function rulesTable(checks: readonly { readonly id: string; readonly rules: readonly string[] }[]): string[] {
  return interfaceRules.map(({ id }) => {
    const showing = checks.filter(({ rules: shown }) => shown.includes(id)).map((check) => familyOf(check.id));
    return `| \`${id}\` | ${[...new Set(showing)].map((name) => `\`${name}\``).join(', ')} |`;
  });
}

/** Checks of one kind are one family: those of several operations, statuses, credentials or requests. */
function familyOf(id: string): string {
  const [layer, ...rest] = id.split('.');
  if (layer === 'conformance' && rest[0] !== 'rules') return `conformance.*.${rest.at(-1) ?? ''}`;
  if (layer === 'explored' && rest.length > 1) return `explored.*.${rest.slice(1).join('.')}`;
  return id.replace(/(other-|empty-)?case-id/, '*').replace(/(as-given)-.*/, '$1-*');
}

test('docs/contract-testing.md says where each rule is shown', async () => {
  const guide = await readFile(new URL('../../docs/contract-testing.md', import.meta.url), 'utf8');
  const lines = guide.split('\n');
  const table = lines.slice(lines.indexOf('| Rule | Shown by |') + 2);
  expect(table.slice(0, table.indexOf(''))).toEqual(rulesTable(allChecks));
});

const rule = { id: '4.2-R1', source: 'interface' as const, statement: 'An invalid update is refused.' };

test.each<[outcome: Outcome, of: Outcome[]]>([
  ['passed', ['passed', 'not run']],
  ['failed', ['passed', 'failed', 'not run']],
  ['not run', ['not run', 'not run']],
  ['not run', []],
])('a rule is %s if the checks of every layer that show it are %j', (outcome, of) => {
  const resultOf = (id: string, rules: string[], its: Outcome, layer: Layer = 'rules'): CheckResult => ({
    check: { id, layer, source: 'interface', title: id, rules },
    outcome: its,
    ...(its === 'not run' && { reason: 'missing: member_key' }),
    ...{ failures: [], exchanges: 1, durationSeconds: 0.1 },
  });
  const results = of.map((each, index) =>
    resultOf(`a-${index}`, [rule.id, '5-A1'], each, index === 0 ? 'replay' : 'rules'),
  );
  const reason = of.length > 0 ? 'missing: member_key' : 'none of its checks was chosen';
  expect(traceRules([rule], [...results, ...results, resultOf('b', ['4.2-R10'], 'failed')])).toEqual([
    { ...rule, checks: results.map(({ check }) => check.id), outcome, ...(outcome === 'not run' && { reason }) },
  ]);
});
