import { describe, expect, jest, test } from '@jest/globals';
import { create } from 'xmlbuilder2';
import type { CheckResult, Report } from '../../contract/run/model.ts';
import { brokenPromises, verdictOf } from '../../contract/report/overview.ts';
import { htmlOf } from '../../contract/report/html.ts';
import { junitOf } from '../../contract/report/junit.ts';
import { liveCount } from '../../contract/report/live.ts';
import { summaryOf } from '../../contract/report/summary.ts';
import { Sink } from '../support/sink.ts';

const nasty = 'a <b>"bold"</b> & ]]> \u0000\u001b[31m\ud800\ufffe\u202e \'quoted\'\nsecond line 😀';

function result(id: string, outcome: CheckResult['outcome'], more: Partial<CheckResult> = {}): CheckResult {
  const check = {
    id,
    layer: 'rules' as const,
    source: 'interface' as const,
    title: `the promise of ${id}`,
    rules: ['4.2-R1'],
  };
  return { check, outcome, failures: [], exchanges: 1, durationSeconds: 0.25, ...more };
}

function reportOf(results: CheckResult[], more: Partial<Report> = {}): Report {
  return {
    target: 'https://api.example.com',
    title: 'To-do list',
    version: '1.0.0',
    startedAt: '2026-03-02T12:00:00.000Z',
    durationSeconds: 1.25,
    seed: 42,
    promises: ['interface', 'document', 'decision'],
    results,
    rules: [{ id: '4.2-R1', source: 'interface', statement: 'A statement.', checks: ['a', 'b'], outcome: 'failed' }],
    problems: [],
    conforms: false,
    ...more,
  };
}

const curl = 'curl --include --request GET --header "x-api-key: $OWNER_KEY" "https://api.example.com/"';
const mixed = reportOf(
  [
    result('a', 'passed'),
    result('b', 'failed', {
      failures: [
        { message: nasty, curl, response: '500 {}' },
        { message: 'a second finding', curl, response: '500 {}' },
        { message: 'without a request' },
      ],
    }),
    result('c', 'not run', { reason: 'missing: member_key' }),
    result('d', 'not run', { reason: 'missing: member_key' }),
    result('e', 'not run', { reason: 'missing: operator' }),
  ],
  { problems: ['the rule 9-R9 has no check'] },
);

describe('the summary', () => {
  test('tells the failures, what was not run, the figures, and the counts in its last line', () => {
    expect(summaryOf(mixed, { coloured: false })).toBe(`Broken promises: 1 check, 1 likely cause

b
  promised  the promise of b (interface, 4.2-R1)
  found     a <b>"bold"</b> & ]]> \\u0000\\u001b[31m\ud800\ufffe\\u202e 'quoted'
            second line 😀
            a second finding
  response  500 {}
  wrong     ${curl}
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

  test('says that the server conforms only of a report that held', () => {
    const kept = reportOf([result('a', 'passed')], { conforms: true });
    expect(summaryOf(kept, { coloured: false })).toMatch(
      /\n\nThe server conforms\.\n\n1 passed, 0 failed, 0 skipped\n$/,
    );
    const empty = summaryOf(reportOf([], { problems: ['no check has passed'] }), { coloured: false });
    expect(empty).toMatch(/ {2}no check has passed\n[^]*not shown to conform\.\n\n0 passed, 0 failed, 0 skipped\n$/);
  });

  test('has colours if it is asked for them, and none in its last line', () => {
    const coloured = summaryOf(mixed, { coloured: true });
    expect(coloured).toContain('\u001b[31m');
    expect(coloured).toMatch(/\n1 passed, 1 failed, 3 skipped\n$/);
  });

  test('says of what it has not checked that it was not, and why', () => {
    const open = { id: '6-E1', source: 'interface', statement: 'S.', checks: ['b'], outcome: 'not run' } as const;
    const report = reportOf([result('a', 'passed'), result('b', 'not run', { reason: 'missing: operator' })], {
      rules: [{ ...open, reason: 'missing: operator' }],
      promises: ['interface'],
      conforms: true,
    });
    expect(summaryOf(report, { coloured: false })).toMatch(
      /\nRules not checked: 1 of 1\n {2}missing: operator\n {4}6-E1\n\nThe server conforms to the interface in all that was checked; 1 rule not checked\.\n/,
    );
    expect(verdictOf({ ...report, rules: [] })).toBe(
      'The server conforms to the interface in all that was checked; 1 check not run',
    );
  });

  test('shortens a flood of failures', () => {
    const failures = (check: number) =>
      Array.from({ length: 5 }, (_, index) => ({ message: `m ${index} of ${check}`, curl: `curl ${index}` }));
    const many = Array.from({ length: 60 }, (_, index) =>
      result(`check-${index}`, 'failed', { failures: failures(index) }),
    );
    const text = summaryOf(reportOf(many), { coloured: false });
    expect(text).toContain('and 2 more findings of this check');
    expect(text.match(/promised {2}/g)).toHaveLength(20);
    expect(text).toContain('\ncheck-59  m 0 of 59 (1 check)\n');
  });
});

describe('the likely causes', () => {
  const missing = 'the header RateLimit is missing';
  const broken = (id: string, message: string, count?: number) =>
    result(id, 'failed', { exchanges: 300, failures: [{ message, curl, ...(count && { count }) }] });
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
    expect(brokenPromises(reportOf([result('a', 'failed'), result('b', 'failed')]))).toHaveLength(2);
  });

  test('are one for checks of the same promise, and each finding stands once with all that show it', () => {
    const found = (id: string, ...callers: string[]) => ({
      ...result(id, 'failed', {
        failures: callers.map((by) => ({
          message: `getCase by ${by}: expected 401, got ${id === 'c' ? 200 : 404}`,
          curl: `curl ${by}`,
        })),
      }),
      check: { ...result(id, 'failed').check, title: 'a request without a credential is refused' },
    });
    const text = summaryOf(reportOf([found('c', 'nobody', 'a cookie'), found('c.decided', 'X-Api-Token')]), {
      coloured: false,
    });
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
    const text = summaryOf(report, { coloured: false });
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

describe('JUnit XML', () => {
  interface Element {
    '@name': string;
    '@message'?: string;
    testcase?: Element | Element[];
    failure?: { '@message': string; '#': string };
    skipped?: { '@message': string };
  }
  interface Suites {
    testsuites: { '@tests': string; '@failures': string; '@skipped': string; testsuite: Element[] };
  }
  const parsed = (report: Report) => create(junitOf(report)).end({ format: 'object' }) as unknown as Suites;

  test('has a suite for each layer and for the run, and a case for each check', () => {
    const { testsuites } = parsed(mixed);
    expect(testsuites).toMatchObject({ '@tests': '6', '@failures': '2', '@skipped': '3' });
    expect(testsuites.testsuite.map((suite) => suite['@name'])).toEqual([
      'contract.replay',
      'contract.rules',
      'contract.explored',
      'contract.generated',
      'contract.conformance',
      'contract.run',
    ]);
    const cases = testsuites.testsuite[1]?.testcase as Element[];
    expect(cases.map((each) => each['@name'])).toContain('a');
    expect(cases[2]?.skipped).toEqual({ '@message': 'missing: member_key' });
    expect(cases[0]).toHaveProperty('@classname', 'contract.rules.interface');
    expect(testsuites.testsuite[5]?.testcase).toMatchObject({ failure: { '#': 'the rule 9-R9 has no check' } });
  });

  test('survives every character, and drops those that XML forbids', () => {
    const xml = junitOf(mixed);
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    const failure = (parsed(mixed).testsuites.testsuite[1]?.testcase as Element[] | undefined)?.[1]?.failure;
    const escaped = 'a &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; ]]&gt; \ufffd\ufffd[31m\ufffd\ufffd\u202e';
    expect(xml).toContain(`<failure message="${escaped} 'quoted' second line 😀" type="broken-promise">`);
    expect(failure?.['#']).toContain(`\na second finding\n\nrequest: ${curl}\n\nresponse: 500 {}\n\nwithout a request`);
  });
});

describe('the HTML page', () => {
  const page = htmlOf(mixed);

  test('names the document', () => {
    expect(page).toContain('<p class="quiet">To-do list 1.0.0 · ');
  });

  test('needs nothing from elsewhere and runs nothing', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<(script|link|img|iframe|object|base)\b|@import|url\(|\son\w+=/i);
    expect(page.match(/https?:\/\/[^\s"<&]+/g)?.every((url) => url.startsWith('https://api.example.com'))).toBe(true);
  });

  test('escapes what came, and shows each rule with its checks', () => {
    expect(page).toContain('a &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; ]]&gt;');
    expect(page).not.toContain('<b>"bold"');
    const rules =
      /<summary><span class="failed">failed<\/span> \(1\)[^]*<dt><code>4\.2-R1<\/code><dd>A statement\.[^]*1 check passed/;
    expect(page).toMatch(rules);
    expect(page).toContain('<li><code>b</code> failed');
  });

  test('says of an empty report that there is nothing', () => {
    expect(htmlOf(reportOf([], { rules: [] }))).toContain('There are no rules.');
  });
});

describe('the live count', () => {
  test('is one line that is redrawn on a terminal, and gone at the end', () => {
    const output = new Sink(true);
    const live = liveCount(output, new Map([['4.2-R1.a', 'an update is saved\u001b']]));
    live.onNotice('first');
    live.onStart('4.2-R1.a', 0, 2);
    live.onResult(result('4.2-R1.a', 'failed'), 1, 2);
    live.onNotice('waiting 9 s\u001b');
    live.onStart('4.2-R1.b', 1, 2);
    live.end();
    expect(output.text).toMatch(/^notice: first\n/);
    expect(output.text).toContain('0/2 checks, 0 failed  4.2-R1.a  an update is saved\\u001b');
    expect(output.text).toContain('1/2 checks, 1 failed  4.2-R1.a');
    expect(output.text).toContain('notice: waiting 9 s\\u001b\n');
  });

  test('is quiet where nobody watches, but for notices and a line every ten seconds that says what is tried', () => {
    const output = new Sink();
    const live = liveCount(output);
    live.onStart('a', 0, 2);
    live.onResult(result('a', 'passed'), 1, 2);
    live.onNotice('waiting 9 s');
    live.end();
    expect(output.text).toBe('notice: waiting 9 s\n');
    const start = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(start + 10_001);
    live.onStart('b', 1, 2);
    clock.mockRestore();
    expect(output.text).toContain('\n1/2 checks, 0 failed  b\n');
  });
});
