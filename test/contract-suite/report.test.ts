import { describe, expect, jest, test } from '@jest/globals';
import type { Report } from '../../contract/run/model.ts';
import { brokenPromises, verdictOf } from '../../contract/report/overview.ts';
import { htmlOf } from '../../contract/report/html.ts';
import { junitOf } from '../../contract/report/junit.ts';
import { liveCount } from '../../contract/report/live.ts';
import { summaryOf } from '../../contract/report/summary.ts';
import { curlLine, failingReport, mixedReport, reportOf, resultOf } from '../support/failing-report.ts';
import { Sink } from '../support/sink.ts';

const plain = (report: Report) => summaryOf(report, { coloured: false });

describe('the summary', () => {
  test('tells the failures, what was not run, the figures, and the counts in its last line', () => {
    expect(plain(mixedReport)).toBe(`Broken promises: 1 check, 1 likely cause

b
  promised  the promise of b (interface, 4.2-R1)
  found     a <b>"bold"</b> & ]]> \\u0000\\u001b[31m\ud800\ufffe\\u202e 'quoted'
            second line 😀
            a second finding
  response  500 {}
  wrong     ${curlLine}
  found     without a request

Not run: 3 checks
  missing: member_key (2 checks)
    c
    d
  missing: operator (1 check)
    e

Problems with the run itself
  the rule 9-R9 has no check

layer        passed  failed  not run
replay       0       0       0
rules        1       1       3
explored     0       0       0
generated    0       0       0
conformance  0       0       0

promised by  passed  failed  not run
interface    1       1       3
document     0       0       0
decision     0       0       0
rules shown  0       1       0

seed 42 (--seed 42 repeats it), 1.3 s, 5 requests

The server does not conform.

1 passed, 1 failed, 3 skipped
`);
  });

  test('has colours if it is asked for them, and none in its last line', () => {
    const coloured = summaryOf(mixedReport, { coloured: true });
    expect(coloured).toContain('\u001b[31m');
    expect(coloured).toMatch(/\n1 passed, 1 failed, 3 skipped\n$/);
  });

  test('says of what it has not checked that it was not, and why', () => {
    const open = { id: '6-E1', source: 'interface', statement: 'S.', checks: ['b'], outcome: 'not run' } as const;
    const report = reportOf([resultOf('a', 'passed'), resultOf('b', 'not run', { reason: 'missing: operator' })], {
      rules: [{ ...open, reason: 'missing: operator' }],
      promises: ['interface'],
      conforms: true,
    });
    expect(plain(report)).toMatch(
      /\nRules not checked: 1 of 1\n {2}missing: operator\n {4}6-E1\n\nThe server conforms to the interface in all that was checked; 1 rule not checked\.\n/,
    );
    expect(verdictOf({ ...report, rules: [] })).toBe(
      'The server conforms to the interface in all that was checked; 1 check not run',
    );
  });

  test('shortens a flood of failures', () => {
    const failures = (check: number) =>
      Array.from({ length: 5 }, (_, index) => ({ message: `m ${index} of ${check}`, curl: `curl ${index}` }));
    const many = Array.from({ length: 60 }, (_, at) => resultOf(`check-${at}`, 'failed', { failures: failures(at) }));
    const text = plain(reportOf(many));
    expect(text).toContain('and 2 more findings of this check');
    expect(text.match(/promised {2}/g)).toHaveLength(20);
    expect(text).toContain('\ncheck-59  m 0 of 59 (1 check)\n');
  });
});

describe('the likely causes', () => {
  const missing = 'the header RateLimit is missing';
  const broken = (id: string, message: string, count?: number) =>
    resultOf(id, 'failed', { exchanges: 300, failures: [{ message, curl: curlLine, ...(count && { count }) }] });
  const report = reportOf([
    broken('a', 'expected 401 for reading with a made-up key, got 200'),
    broken('b', 'something else'),
    ...Array.from({ length: 12 }, (_, index) => broken(`header-${index}`, missing, 100 + index)),
    broken('d', 'getCase by access_token: expected 200 (success), got 404, only with Accept-Language: de'),
    broken('e', 'getCase by nobody: expected 401 (credential), got 500, only with Accept-Language: de and fr'),
    broken('c', 'expected 401 for updating with a "for, got" key, got 200'),
  ]);

  test('are what failed checks have found alike, that which explains most of them first', () => {
    expect(brokenPromises(report).map(({ found, results, exchanges }) => [found, results.length, exchanges])).toEqual([
      [missing, 12, 1266],
      ['expected 401, got 200', 2, 2],
      ['another response, only with Accept-Language', 2, 2],
      ['something else', 1, 1],
    ]);
  });

  test('are several for checks of which no details are known', () => {
    expect(brokenPromises(reportOf([resultOf('a', 'failed'), resultOf('b', 'failed')]))).toHaveLength(2);
  });

  test('are one for checks of the same promise, and each finding stands once with all that show it', () => {
    const found = (id: string, ...callers: string[]) => ({
      ...resultOf(id, 'failed', {
        failures: callers.map((by) => ({
          message: `getCase by ${by}: expected 401, got ${id === 'c' ? 200 : 404}`,
          curl: `curl ${by}`,
        })),
      }),
      check: { ...resultOf(id, 'failed').check, title: 'a request without a credential is refused' },
    });
    const text = plain(reportOf([found('c', 'nobody', 'a cookie'), found('c.decided', 'X-Api-Token')]));
    expect(text).toContain(`Broken promises: 2 checks, 1 likely cause

expected 401, got 200 (2 checks, 2 exchanges)
c
  promised  a request without a credential is refused (interface, 4.2-R1)
  found     getCase by nobody: expected 401, got 200
            getCase by a cookie: expected 401, got 200
  wrong     curl nobody
  also      c.decided
`);
  });

  test('take a line each with one check in full, in the summary and in the page', () => {
    const text = plain(report);
    expect(text).toContain(`17 checks, 4 likely causes\n\n${missing} (12 checks, 1266 exchanges)\nheader-0\n`);
    expect(text).toContain(`\n  found     ${missing} (100 of 300 responses)\n`);
    expect(text).toContain('\n  also      header-1\n');
    expect(text).toContain('\n            and 6 more\n');
    const page = htmlOf(report);
    expect(page.match(/<details class="card"/g)).toHaveLength(17);
    expect(page.match(/<h3>/g)).toHaveLength(3);
    expect(page).toContain('<code>header-11</code>');
  });
});

test('the page needs nothing from elsewhere, runs nothing, and escapes what came', () => {
  const page = htmlOf(mixedReport);
  expect(page).not.toMatch(/<(script|link|img|iframe|object|base)\b|@import|url\(|\son\w+=/i);
  expect(page.match(/https?:\/\/[^\s"<&]+/g)?.every((url) => url.startsWith('https://api.example.com'))).toBe(true);
  expect(page).not.toContain('<b>"bold"');
  expect(page).toMatch(/failed<\/span> \(1\)[^]*<dt><code>4\.2-R1<\/code><dd>A statement\.[^]*1 check passed/);
});

test('the live count is one line that is redrawn on a terminal, and gone at the end', () => {
  const output = new Sink(true);
  const live = liveCount(output, new Map([['4.2-R1.a', 'an update is saved\u001b']]));
  live.onNotice('first');
  live.onStart('4.2-R1.a', 0, 2);
  live.onResult(resultOf('4.2-R1.a', 'failed'), 1, 2);
  live.onNotice('waiting 9 s\u001b');
  live.onStart('4.2-R1.b', 1, 2);
  live.end();
  expect(output.text).toMatch(/^notice: first\n/);
  expect(output.text).toContain('0/2 checks, 0 failed  4.2-R1.a  an update is saved\\u001b');
  expect(output.text).toContain('1/2 checks, 1 failed  4.2-R1.a');
  expect(output.text).toContain('notice: waiting 9 s\\u001b\n');
});

test('the live count is quiet where nobody watches, but for notices and a line every ten seconds that says what is tried', () => {
  const output = new Sink();
  const live = liveCount(output);
  live.onStart('a', 0, 2);
  live.onResult(resultOf('a', 'passed'), 1, 2);
  live.onNotice('waiting 9 s');
  live.end();
  expect(output.text).toBe('notice: waiting 9 s\n');
  const start = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(start + 10_001);
  live.onStart('b', 1, 2);
  clock.mockRestore();
  expect(output.text).toContain('\n1/2 checks, 0 failed  b\n');
});

const [, broken] = failingReport.results;
const failure = {
  message: 'expected 413, got 200',
  curl: 'curl --data-binary "a" "https://api.example.com/"',
  beforeCurl: 'curl --request POST "https://api.example.com/before"',
  rightCurl: 'curl "https://api.example.com/right"',
  request: 'PUT /a\nhost: api.example.com\n\n{"a":"<b>"}',
  response: '200 OK\ncontent-type: text/plain\n\nfirst\n\nsecond',
};
const [oneRule] = reportOf([]).rules;
const cardReport: Report = {
  ...failingReport,
  results: broken ? [{ ...broken, failures: [failure], measured: 'one 2.0 ms, the other 2.1 ms' }] : [],
  rules: oneRule ? [{ ...oneRule, checks: ['b, c: d'] }] : [],
};

const [, card = ''] = /(<details class="card" open>[^]*?<\/details>)/.exec(htmlOf(cardReport)) ?? [];
const measured = 'one 2.0 ms, the other 2.1 ms';

test.each([
  ['the document', htmlOf(mixedReport), '<p class="quiet">To-do list 1.0.0 · '],
  ['that nothing is loaded', htmlOf(mixedReport), `content="default-src 'none'; style-src 'unsafe-inline'"`],
  ['hostile text', htmlOf(mixedReport), 'a &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; ]]&gt;'],
  ['checks of a rule that have not passed', htmlOf(mixedReport), '<li><code>b</code> failed'],
  ['that there are no rules', htmlOf(reportOf([], { rules: [] })), 'There are no rules.'],
  ['a broken promise', card, '<b>the promise of b, c: d</b> <code>b, c: d</code>'],
  ['its rule', card, '<code>4.2-R1</code><dd>A statement.'],
  ['what was found', card, '<p class="failed">expected 413, got 200</p>'],
  ['the request', card, '<pre><b>PUT /a</b>\n<span class="quiet">host:</span> api.example.com\n\n{&quot;a&quot;:'],
  ['the response', card, '200 OK</b>\n<span class="quiet">content-type:</span> text/plain\n\nfirst\n\nsecond</pre>'],
  ['the response, in JUnit XML', junitOf(cardReport), 'response: 200 OK\ncontent-type: text/plain\n\nfirst\n\nsecond'],
  ['the line that repeats it', card, '&quot;a&quot; &quot;https://api.example.com/&quot;</pre>'],
  ['what is right', card, '<pre class="curl">curl &quot;https://api.example.com/right&quot;</pre>'],
  ['what was sent before, in the summary', plain(cardReport), 'https://api.example.com/before"\n  wrong     curl'],
  ['what was sent before', card, 'https://api.example.com/before&quot;</pre>'],
  ['what is right, in the summary', plain(cardReport), '\n  right     curl "https://api.example.com/right"\n'],
  [
    'what is right, in JUnit XML',
    junitOf(cardReport),
    '\ngets the right response: curl "https://api.example.com/right"',
  ],
  ['what was measured', plain(cardReport), `\nMeasured\n  b, c: d  ${measured}\n`],
  ['what was measured, on the page', htmlOf(cardReport), `<dd>${measured}`],
])('a report tells %s', (_what, text, expected) => {
  expect(text).toContain(expected);
});
