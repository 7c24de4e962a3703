import { describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../contract/run/model.ts';
import { folderOf, writeReports } from '../../contract/report/files.ts';
import { htmlOf } from '../../contract/report/html.ts';
import { junitOf } from '../../contract/report/junit.ts';
import { markdownOf } from '../../contract/report/markdown.ts';
import { summaryOf } from '../../contract/report/summary.ts';
import { failingReport } from '../support/failing-report.ts';

const name = 'contract-body-0123456789ab';
const [, broken] = failingReport.results;
const failure = {
  message: 'expected 413, got 200',
  curl: `curl --data-binary @${name} "https://api.example.com/"`,
  rightCurl: 'curl "https://api.example.com/right"',
  files: [{ name, base64: Buffer.from('the body').toString('base64') }],
  request: 'PUT /a\nhost: api.example.com\n\n{"a":"<b>"}',
  response: '200 OK\ncontent-type: text/plain\n\nfirst\n\nsecond',
};
const report: Report = {
  ...failingReport,
  results: broken ? [{ ...broken, failures: [failure], measured: 'one 2.0 ms, the other 2.1 ms' }] : [],
  rules: [
    { id: '4.3-O1', source: 'interface', statement: 'A case is returned.', checks: ['b, c: d'], outcome: 'failed' },
  ],
};

describe('a broken promise', () => {
  test('is one card with its rule, what was found, request, response, and the line that repeats it', () => {
    const page = htmlOf(report);
    expect(page.match(/<details class="card" open>/g)).toHaveLength(1);
    const card = /<details class="card"[^]*?<\/details>/.exec(page)?.[0] ?? '';
    for (const part of [
      '<b>the promise of b, c: d</b> <code>b, c: d</code>',
      '<code>4.3-O1</code><dd>A case is returned.',
      '<p class="failed">expected 413, got 200</p>',
      '<pre><b>PUT /a</b>\n<span class="quiet">host:</span> api.example.com\n\n{&quot;a&quot;:&quot;&lt;b&gt;&quot;}</pre>',
      '<pre><b>200 OK</b>\n<span class="quiet">content-type:</span> text/plain\n\nfirst\n\nsecond</pre>',
      `@${name} &quot;https://api.example.com/&quot;</pre>`,
      '<pre class="curl">curl &quot;https://api.example.com/right&quot;</pre>',
      `<a href="${name}" download>${name}</a>`,
    ])
      expect(card).toContain(part);
  });

  test.each([
    ['the summary', summaryOf(report, { coloured: false }), '\n  right     curl "https://api.example.com/right"\n'],
    ['Markdown', markdownOf(report), '\n# This gets the right response:\ncurl "https://api.example.com/right"\n'],
    ['JUnit XML', junitOf(report), '\ngets the right response: curl "https://api.example.com/right"'],
  ])('comes with the request that gets the right response: %s', (_form, text, expected) => {
    expect(text).toContain(expected);
  });

  test('is told with the whole response in JUnit XML', () => {
    expect(junitOf(report)).toContain('response: 200 OK\ncontent-type: text/plain\n\nfirst\n\nsecond');
  });
});

describe('what a line of curl names', () => {
  test('is written beside each report', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'document-analysis-reports-'));
    try {
      await writeReports(report, { html: join(folder, 'page.html'), json: join(folder, 'report.json') });
      expect(await readdir(folder)).toEqual([name, 'page.html', 'report.json']);
      expect(await readFile(join(folder, name), 'utf8')).toBe('the body');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('is named on the terminal where it is, or it says how to get it', () => {
    const folder = folderOf({ html: 'reports/page.html' });
    expect(summaryOf(report, { coloured: false, folder })).toContain(`--data-binary @reports/${name} `);
    const without = summaryOf(report, { coloured: false, folder: folderOf({}) });
    expect(without).toContain(`--data-binary @${name} `);
    expect(without).toContain(
      '\n            the file in this command is written next to a report, such as --html FILE\n',
    );
  });
});

test('what was measured is told, whether or not the check passes', () => {
  const measured = 'one 2.0 ms, the other 2.1 ms';
  expect(summaryOf(report, { coloured: false })).toContain(`\nMeasured\n  b, c: d  ${measured}\n`);
  expect(htmlOf(report)).toContain(`<dd>${measured}`);
});
