import { styleText } from 'node:util';
import { count, printable, table } from '../cli/output.ts';
import type { CheckResult, Report } from '../run/model.ts';
import {
  failedChecks,
  layers,
  notRunByReason,
  type Observation,
  observationsOf,
  resultsOf,
  seconds,
  tally,
  verdictOf,
} from './tally.ts';

const mostChecksInFull = 40;
const mostObservations = 3;

type Style = Parameters<typeof styleText>[0];

/** The report as text for a terminal; its last line is `N passed, N failed, N skipped`. */
export function summaryOf(report: Report, { coloured }: { coloured: boolean }): string {
  const paint: Paint = (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
  const { passed, failed, 'not run': notRun } = tally(report.results);
  return [
    failuresOf(report, paint),
    notRunOf(report, paint),
    problemsOf(report, paint),
    figuresOf(report),
    paint(report.conforms ? 'green' : 'red', `${verdictOf(report)}.`),
    `${passed} passed, ${failed} failed, ${notRun} skipped`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

type Paint = (style: Style, text: string) => string;

function failuresOf(report: Report, paint: Paint): string {
  const failed = failedChecks(report);
  if (failed.length === 0) return '';
  const inFull = failed.slice(0, mostChecksInFull).map((result) => failureOf(result, paint));
  const others = failed.slice(mostChecksInFull).map(({ check, failures: [first] }) => {
    return `${paint('red', printable(check.id))}  ${printable(first?.message ?? '')}`;
  });
  return [paint('bold', `Broken promises: ${count(failed.length, 'check')}`), ...inFull, others.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

function failureOf(result: CheckResult, paint: Paint): string {
  const { id, title, rules } = result.check;
  const observations = observationsOf(result);
  const rest = observations.length - mostObservations;
  return [
    paint(['red', 'bold'], printable(id)),
    field('promised', rules.length > 0 ? `${title} (${rules.join(', ')})` : title, paint),
    ...observations.slice(0, mostObservations).map((observation) => observationOf(observation, paint)),
    ...(rest > 0 ? [`  and ${count(rest, 'more exchange')} of this check; the other reports tell of them all`] : []),
  ].join('\n');
}

function observationOf({ messages, response, curl }: Observation, paint: Paint): string {
  return [
    field('came', messages.join('\n'), paint),
    ...(response === undefined ? [] : [field('response', response, paint)]),
    ...(curl === undefined ? [] : [field('request', curl, paint)]),
  ].join('\n');
}

function field(name: string, text: string, paint: Paint): string {
  const lines = text.split('\n').map(printable);
  return `  ${paint('dim', name.padEnd(10))}${lines.join('\n'.padEnd(13))}`;
}

function notRunOf(report: Report, paint: Paint): string {
  const reasons = notRunByReason(report);
  if (reasons.length === 0) return '';
  const parts = reasons.map(([reason, results]) =>
    [
      `  ${paint('yellow', printable(reason))} (${count(results.length, 'check')})`,
      ...results.map(({ check }) => `    ${printable(check.id)}`),
    ].join('\n'),
  );
  return [paint('bold', `Not run: ${count(tally(report.results)['not run'], 'check')}`), ...parts].join('\n');
}

function problemsOf({ problems }: Report, paint: Paint): string {
  if (problems.length === 0) return '';
  const lines = problems.map((problem) => `  ${paint('red', printable(problem))}`);
  return [paint('bold', 'Wrong with the run itself'), ...lines].join('\n');
}

function figuresOf(report: Report): string {
  const row = (name: string, results: Parameters<typeof tally>[0]) => {
    const { passed, failed, 'not run': notRun } = tally(results);
    return [name, String(passed), String(failed), String(notRun)];
  };
  const rows = layers.map((layer) => row(layer, resultsOf(report, layer)));
  const checks = table(['layer', 'passed', 'failed', 'not run'], [...rows, row('rules shown', report.rules)]);
  return `${checks}\n\nseed ${report.seed} (--seed ${report.seed} repeats it), ${seconds(report.durationSeconds)}`;
}
