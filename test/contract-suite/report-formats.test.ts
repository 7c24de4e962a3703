import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'xmlbuilder2';
import { reportToGitHub, withoutCommands } from '../../contract/report/files.ts';
import { junitOf } from '../../contract/report/junit.ts';
import { sarifOf } from '../../contract/report/sarif.ts';
import { markdownOf, summaryOf } from '../../contract/report/summary.ts';
import type { Report } from '../../contract/run/model.ts';
import { allChecks } from '../../contract/run/run.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { curlLine, failingReport, mixedReport } from '../support/failing-report.ts';
import { Sink } from '../support/sink.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

async function onGitHub(report: Report, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const stdout = new Sink();
  await reportToGitHub(report, stdout, environment);
  return stdout.text.split('\n').slice(0, -1);
}

describe('in a workflow of GitHub', () => {
  test('each failed check is an annotation of one line, which holds no other command', async () => {
    const lines = await onGitHub(failingReport, { GITHUB_ACTIONS: 'true' });
    expect(lines).toEqual([
      '::error title=the run itself::the rule 9-R9 has no check',
      expect.stringMatching(/^::error title=b%2C c%3A d::the promise of b, c: d: a <b>.* 100%25 %0D%0A::error::x, /),
      '::error title=e::the promise of e: ',
    ]);
  });

  test('no more annotations are made than are shown', async () => {
    const [, failed] = failingReport.results;
    if (!failed) throw new Error('no failed check');
    const many = { ...failingReport, problems: [], results: Array.from({ length: 60 }, () => failed) };
    const lines = await onGitHub(many, { GITHUB_ACTIONS: 'true' });
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe('::error title=and more::51 more checks failed; the log and the reports list them');
  });

  test('the summary of the step is added to', async () => {
    const folder = await TemporaryFolder.make();
    const file = join(folder.path, 'summary.md');
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file };
    await onGitHub(failingReport, environment);
    await onGitHub(failingReport, environment);
    expect((await readFile(file, 'utf8')).match(/^## The server does not conform$/gm)).toHaveLength(2);
  });

  test('what a server has sent is no command of the runner in the log', () => {
    const log = summaryOf(failingReport, { coloured: false });
    expect(log).toMatch(/^\s+::error::x/m);
    expect(withoutCommands(log, { GITHUB_ACTIONS: 'true' })).not.toMatch(/^\s*::/m);
    expect(withoutCommands('##[error]x', { GITHUB_ACTIONS: 'true' })).toBe('##\\u005berror]x');
    expect(withoutCommands(log, {})).toBe(log);
  });

  test('elsewhere nothing is said', async () => {
    expect(await onGitHub(failingReport, {})).toEqual([]);
  });
});

test('Markdown is the summary below the verdict, fenced by more ticks than it has in a row', () => {
  const text = markdownOf(failingReport);
  expect(text).toMatch(/^## The server does not conform\n\n````text\nTo-do list 1\.0\.0 at https:[^]*\n````\n$/);
  expect(text).toContain(`\n\n${summaryOf(failingReport, { coloured: false })}`);
  expect(text.match(/^````/gm)).toHaveLength(2);
});

const { runs } = JSON.parse(sarifOf(failingReport)) as {
  runs: [{ results: { ruleId: string; message: { text: string }; suppressions?: object[]; locations: object[] }[] }];
};

test('SARIF has a result for each failure, by a stable id; those that are known are suppressed', () => {
  const [{ results }] = runs;
  expect(results.map(({ ruleId, suppressions }) => [ruleId, suppressions?.length])).toEqual([
    ['b, c: d', undefined],
    ['e', undefined],
    ['f', 1],
  ]);
  expect(results[0]?.message.text).toContain(curlLine);
  expect(results[1]?.message.text).toBe('the promise of e');
  expect(results[0]?.locations).toMatchObject([
    { physicalLocation: { artifactLocation: { uri: 'docs/my%20api/openapi.yaml' } } },
  ]);
});

describe('JUnit XML', () => {
  const namesIn = (xml: string, element: string) =>
    [...xml.matchAll(new RegExp(`<${element} (?:classname="[^"]*" )?name="([^"]*)"`, 'g'))].map(([, name]) => name);

  test('has a suite for each layer and for the run, and a case for each check', () => {
    const xml = junitOf(mixedReport);
    expect(xml).toContain('<testsuites name="contract" tests="6" failures="2" errors="0" skipped="3"');
    const layers = ['replay', 'rules', 'explored', 'generated', 'conformance', 'run'];
    expect(namesIn(xml, 'testsuite')).toEqual(layers.map((layer) => `contract.${layer}`));
    expect(namesIn(xml, 'testcase')).toEqual(['a', 'b', 'c', 'd', 'e', 'run']);
    expect(xml).toMatch(/<testcase classname="contract\.rules\.interface" name="a"/);
    expect(xml).toMatch(/ name="c" time="0\.250">\s*<skipped message="missing: member_key"\/>/);
    expect(xml).toMatch(/ name="run" time="0\.000">\s*<failure [^>]*>the rule 9-R9 has no check<\/failure>/);
  });

  test('survives every character, and drops those that XML forbids', () => {
    const xml = junitOf(mixedReport);
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    expect(() => create(xml)).not.toThrow();
    const escaped = 'a &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; ]]&gt; \ufffd\ufffd[31m\ufffd\ufffd\u202e';
    expect(xml).toContain(`<failure message="${escaped} 'quoted' second line 😀" type="broken-promise">`);
    expect(xml).toContain(`second finding\n\nrequest: ${curlLine}\n\nresponse: 500 {}\n\nwithout a request`);
  });

  test('names a test case by the id alone, and skips a known failure', () => {
    const xml = junitOf(failingReport);
    expect(namesIn(xml, 'testcase')).toEqual(['a', 'b, c: d', 'e', 'f', 'g', 'run']);
    expect(xml).toContain('<skipped message="known failure: known"/>');
    expect(xml).toMatch(/<testsuites [^>]* skipped="2"/);
  });

  test('has the same names whatever the seed, and each is an id', () => {
    const namesOf = (seed: number) => allChecks(ownDocument, seed).map(({ id, source }) => `${source} ${id}`);
    const names = namesOf(1);
    expect(new Set(names).size).toBe(names.length);
    expect(namesOf(2)).toEqual(names);
    expect(names.filter((name) => !/^[a-z]+ [\w.[\]-]+$/.test(name))).toEqual([]);
  });
});
