import type { CheckResult, Report } from '../../contract/run/model.ts';

/** A text that no form of report may take for its own syntax. */
const hostileText = 'a <b>"bold"</b> & ]]> | `tick` ``` 100% \r\n::error::x, *y* \u001b[31m $(id)';

export const curlLine = 'curl --request GET --header "x-api-key: $OWNER_KEY" "https://api.example.com/"';

export function resultOf(id: string, outcome: CheckResult['outcome'], more: Partial<CheckResult> = {}): CheckResult {
  const about = { layer: 'rules' as const, source: 'interface' as const, rules: ['4.2-R1'] };
  const check = { id, ...about, title: `the promise of ${id}` };
  return { check, outcome, failures: [], exchanges: 1, durationSeconds: 0.25, ...more };
}

/** A report of these results, which does not conform unless that is said. */
export function reportOf(results: CheckResult[], more: Partial<Report> = {}): Report {
  return {
    ...{ target: 'https://api.example.com', title: 'To-do list', version: '1.0.0', seed: 42 },
    ...{ startedAt: '2026-03-02T12:00:00.000Z', durationSeconds: 1.25 },
    promises: ['interface', 'document', 'decision'],
    results,
    rules: [{ id: '4.2-R1', source: 'interface', statement: 'A statement.', checks: ['a', 'b'], outcome: 'failed' }],
    problems: [],
    conforms: false,
    ...more,
  };
}

export const failingReport = reportOf(
  [
    resultOf('a', 'passed'),
    resultOf('b, c: d', 'failed', {
      failures: [{ message: hostileText, curl: curlLine, response: `500 ${hostileText}` }],
    }),
    resultOf('e', 'failed', { failures: [] }),
    resultOf('f', 'known failure', { failures: [{ message: 'known' }] }),
    resultOf('g', 'not run', { reason: 'missing: member_key' }),
  ].map((result) => ({ ...result, check: { ...result.check, operation: 'getCase' } })),
  { documentFile: 'docs/my api/openapi.yaml', rules: [], problems: ['the rule 9-R9 has no check'] },
);

const nasty = 'a <b>"bold"</b> & ]]> \u0000\u001b[31m\ud800\ufffe\u202e \'quoted\'\nsecond line 😀';

/** A report with the results that count, of which one is told with every kind of character. */
export const mixedReport = reportOf(
  [
    resultOf('a', 'passed'),
    resultOf('b', 'failed', {
      failures: [
        { message: nasty, curl: curlLine, response: '500 {}' },
        { message: 'a second finding', curl: curlLine, response: '500 {}' },
        { message: 'without a request' },
      ],
    }),
    resultOf('c', 'not run', { reason: 'missing: member_key' }),
    resultOf('d', 'not run', { reason: 'missing: member_key' }),
    resultOf('e', 'not run', { reason: 'missing: operator' }),
  ],
  { problems: ['the rule 9-R9 has no check'] },
);
