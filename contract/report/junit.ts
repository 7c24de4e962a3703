import { create } from 'xmlbuilder2';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import type { CheckResult, Report } from '../run/model.ts';
import { countsOf, layers, observationsOf, resultsOf, tally } from './tally.ts';

/**
 * The report as JUnit XML: a test suite for each layer, one for the run itself, and a test case for each check. Class
 * and name are ids that do not change between runs, because CI systems use them to find new and fixed failures.
 */
export function junitOf(report: Report): string {
  const document = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' });
  const run = report.problems.length > 0;
  const total = tally(report.results);
  const root = document.ele('testsuites', {
    name: 'contract',
    tests: report.results.length + 1,
    failures: total.failed + Number(run),
    errors: 0,
    skipped: countsOf(total).skipped,
    time: report.durationSeconds.toFixed(3),
  });
  for (const layer of layers) addLayer(root, report, layer);
  addRun(root, report);
  return document.end({ prettyPrint: true });
}

function addLayer(root: XMLBuilder, report: Report, layer: (typeof layers)[number]): void {
  const results = resultsOf(report, layer);
  const counts = tally(results);
  const suite = root.ele('testsuite', {
    name: `contract.${layer}`,
    tests: results.length,
    failures: counts.failed,
    errors: 0,
    skipped: countsOf(counts).skipped,
    time: results.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0).toFixed(3),
    timestamp: report.startedAt,
    hostname: new URL(report.target).host,
  });
  suite.ele('properties').ele('property', { name: 'seed', value: report.seed });
  for (const result of results) addCheck(suite, result);
}

function addCheck(suite: XMLBuilder, result: CheckResult): void {
  const { check, outcome, reason, durationSeconds } = result;
  const testCase = suite.ele('testcase', {
    classname: `contract.${check.layer}.${check.source}`,
    name: check.id,
    time: durationSeconds.toFixed(3),
  });
  if (outcome === 'known failure')
    testCase.ele('skipped', { message: attribute(`known failure: ${result.failures[0]?.message ?? ''}`) });
  if (outcome === 'not run') testCase.ele('skipped', { message: attribute(reason ?? '') });
  if (outcome !== 'failed') return;
  const observations = observationsOf(result);
  const text = observations.map(({ messages, response, curl, rightCurl }) =>
    [
      ...messages,
      ...(curl === undefined ? [] : ['', `request: ${curl}`]),
      ...(response === undefined ? [] : ['', `response: ${response}`]),
      ...(rightCurl === undefined ? [] : ['', `gets the right response: ${rightCurl}`]),
    ].join('\n'),
  );
  // Readers of this format support only one failure per test case.
  testCase
    .ele('failure', { message: attribute(observations[0]?.messages[0] ?? ''), type: 'broken-promise' })
    .txt([`promised: ${check.title}`, ...text].join('\n\n'));
}

function addRun(root: XMLBuilder, { problems, startedAt }: Report): void {
  const failures = Math.min(problems.length, 1);
  const suite = {
    name: 'contract.run',
    tests: 1,
    failures,
    errors: 0,
    skipped: 0,
    time: '0.000',
    timestamp: startedAt,
  };
  const testCase = root
    .ele('testsuite', suite)
    .ele('testcase', { classname: 'contract.run', name: 'run', time: '0.000' });
  if (failures > 0)
    testCase.ele('failure', { message: attribute(problems[0] ?? ''), type: 'run' }).txt(problems.join('\n'));
}

/** An XML parser turns line breaks in an attribute into spaces. */
function attribute(text: string): string {
  return text.replace(/\s+/g, ' ');
}
