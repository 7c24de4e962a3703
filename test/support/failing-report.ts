import type { CheckResult, Report } from '../../contract/run/model.ts';

/** A text that no form of report may take for its own syntax. */
export const hostileText = 'a <b>"bold"</b> & ]]> | `tick` ``` 100% \r\n::error::x, *y* \u001b[31m $(id)';

/** What repeats a request. */
export const curlLine = 'curl --request GET --header "x-api-key: $OWNER_KEY" "https://api.example.com/"';

function result(id: string, outcome: CheckResult['outcome'], more: Partial<CheckResult> = {}): CheckResult {
  const about = { layer: 'rules' as const, source: 'interface' as const, operation: 'getCase' };
  const check = { id, ...about, title: `the promise of ${id}`, rules: ['4.3-O1'] };
  return { check, outcome, failures: [], exchanges: 1, durationSeconds: 0.25, ...more };
}

/** A report with a check of each outcome. */
export const failingReport: Report = {
  target: 'https://api.example.com',
  documentFile: 'docs/my api/openapi.yaml',
  title: 'To-do list',
  version: '1.0.0',
  startedAt: '2026-03-02T12:00:00.000Z',
  durationSeconds: 1.25,
  seed: 42,
  results: [
    result('a', 'passed'),
    result('b, c: d', 'failed', {
      failures: [{ message: hostileText, curl: curlLine, response: `500 ${hostileText}` }],
    }),
    result('e', 'failed', { failures: [] }),
    result('f', 'known failure', { failures: [{ message: 'known' }] }),
    result('g', 'not run', { reason: 'missing: member_key' }),
  ],
  rules: [],
  promises: ['interface', 'document', 'decision'],
  problems: ['the rule 9-R9 has no check'],
  conforms: false,
};
