import { create } from 'xmlbuilder2';
import type { CheckResult, Report } from '../run/model.ts';
import { type Part, layersOf, observationsOf, skippedOf, tally, textOf } from './overview.ts';

/**
 * The report as JUnit XML: a test suite for each layer and one for the run itself, a test case for each check. Class and
 * name stay the same between runs, because CI systems find new and fixed failures by them.
 */
export function junitOf(report: Report): string {
  const { results, problems, durationSeconds, startedAt: timestamp } = report;
  const runFailures = Math.min(problems.length, 1);
  const counts = tally(results);
  const run = { ...attributesOf('contract.run', 1, runFailures, 0, 0), '@timestamp': timestamp };
  const testsuites = {
    ...attributesOf('contract', results.length + 1, counts.failed + runFailures, skippedOf(counts), durationSeconds),
    testsuite: [
      ...layersOf(report).map((layer) => suiteOf(layer, report)),
      { ...run, testcase: { ...caseOf('contract.run', 'run', 0), ...failureOf('run', problems, problems.join('\n')) } },
    ],
  };
  const options = { version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' } as const;
  return create(options, { testsuites }).end({ prettyPrint: true });
}

function suiteOf({ name, results }: Part<CheckResult>, { startedAt, target, seed }: Report) {
  const counts = tally(results);
  const seconds = results.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  return {
    ...attributesOf(`contract.${name}`, results.length, counts.failed, skippedOf(counts), seconds),
    '@timestamp': startedAt,
    '@hostname': new URL(target).host,
    properties: { property: { '@name': 'seed', '@value': seed } },
    testcase: results.map((result) => ({
      ...caseOf(`contract.${name}.${result.check.source}`, result.check.id, result.durationSeconds),
      ...outcomeOf(result),
    })),
  };
}

function attributesOf(name: string, tests: number, failures: number, skipped: number, seconds: number) {
  const counts = { '@tests': tests, '@failures': failures, '@errors': 0, '@skipped': skipped };
  return { '@name': name, ...counts, '@time': seconds.toFixed(3) };
}

function caseOf(classname: string, name: string, seconds: number) {
  return { '@classname': classname, '@name': name, '@time': seconds.toFixed(3) };
}

function outcomeOf(result: CheckResult) {
  const { check, outcome, reason = '', failures } = result;
  if (outcome === 'passed') return {};
  if (outcome === 'not run') return { skipped: { '@message': attribute(reason) } };
  if (outcome === 'known failure')
    return { skipped: { '@message': attribute(`known failure: ${failures[0]?.message ?? ''}`) } };
  const observations = observationsOf(result);
  const messages = observations.length === 0 ? [''] : observations.flatMap((each) => each.messages);
  const texts = [`promised: ${check.title}`, ...observations.map((each) => textOf(each))];
  return failureOf('broken-promise', messages, texts.join('\n\n'));
}

/** Readers of this format support only one failure per test case. */
function failureOf(type: string, [message]: readonly string[], text: string) {
  return message === undefined ? {} : { failure: { '@message': attribute(message), '@type': type, '#': text } };
}

/** An XML parser turns line breaks in an attribute into spaces. */
function attribute(text: string): string {
  return text.replace(/\s+/g, ' ');
}
