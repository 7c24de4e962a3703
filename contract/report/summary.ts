import { styleText } from 'node:util';
import { count, printable, table } from '../cli/run-command.ts';
import type { Report } from '../run/model.ts';
import { wasLeftOut } from '../run/selection.ts';
import {
  type Cause,
  type Observation,
  causesOf,
  countsOf,
  curlIn,
  inOneLine,
  layers,
  notRunByReason,
  observationsOf,
  requestsOf,
  resultsFrom,
  resultsOf,
  rulesNotShown,
  seconds,
  tally,
  verdictOf,
} from './tally.ts';

const mostCausesInFull = 20;
const mostObservations = 3;
const mostIds = 5;

type Style = Parameters<typeof styleText>[0];

/** The options of the summary. */
export interface SummaryOptions {
  readonly coloured: boolean;
  /** The folder of the files that curl commands name; absent if no report is written. */
  readonly folder?: string | undefined;
}

/** The report as text for a terminal; its last line is `N passed, N failed, N skipped`. */
export function summaryOf(report: Report, { coloured, folder }: SummaryOptions): string {
  const paint: Paint = (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
  const { passed, failed, skipped } = countsOf(tally(report.results));
  return [
    failuresOf(report, paint, folder),
    knownOf(report, paint),
    notRunOf(report, paint),
    problemsOf(report, paint),
    measuredOf(report, paint),
    figuresOf(report),
    rulesNotShownOf(report, paint),
    paint(report.conforms ? 'green' : 'red', `${verdictOf(report)}.`),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

type Paint = (style: Style, text: string) => string;

function failuresOf(report: Report, paint: Paint, folder: string | undefined): string {
  const causes = causesOf(report);
  if (causes.length === 0) return '';
  const checks = count(tally(report.results).failed, 'check');
  const inFull = causes.slice(0, mostCausesInFull).map((cause) => causeOf(cause, paint, folder));
  const others = causes.slice(mostCausesInFull).map(({ found, results }) => {
    return `${paint('red', printable(results[0]?.check.id ?? ''))}  ${printable(found)} (${count(results.length, 'check')})`;
  });
  const heading = `Broken promises: ${checks}, ${count(causes.length, 'likely cause')}`;
  return [paint('bold', heading), ...inFull, others.join('\n')].filter((part) => part !== '').join('\n\n');
}

function causeOf({ found, results, exchanges }: Cause, paint: Paint, folder: string | undefined): string {
  const [first, ...others] = results;
  if (!first) return '';
  const { id, title, rules, source } = first.check;
  const observations = observationsOf(first);
  const rest = observations.length - mostObservations;
  const heading = `${found} (${count(results.length, 'check')}, ${count(exchanges, 'exchange')})`;
  return [
    ...(others.length > 0 ? [paint(['red', 'bold'], printable(heading.replaceAll('\n', ' ')))] : []),
    paint(['red', 'bold'], printable(id)),
    field('promised', `${title} (${[source, ...rules].join(', ')})`, paint),
    ...observations.slice(0, mostObservations).map((observation) => observationOf(observation, paint, folder)),
    ...(rest > 0 ? [`  and ${count(rest, 'more exchange')} of this check; the other reports list all`] : []),
    ...(others.length > 0 ? [field('also', idsOf(others.map(({ check }) => check.id)).join('\n'), paint)] : []),
  ].join('\n');
}

/** The first of many ids; the other reports list all. */
function idsOf(ids: readonly string[]): string[] {
  const rest = ids.length - mostIds;
  return rest > 1 ? [...ids.slice(0, mostIds), `and ${rest} more`] : [...ids];
}

function observationOf(
  { messages, response, curl, rightCurl, files = [] }: Observation,
  paint: Paint,
  folder: string | undefined,
): string {
  const isMissing = files.length > 0 && folder === undefined;
  return [
    field('found', messages.join('\n'), paint),
    ...(response === undefined ? [] : [field('response', inOneLine(response), paint)]),
    ...(curl === undefined ? [] : [field('repeat', curlIn(curl, folder ?? '.'), paint)]),
    ...(rightCurl === undefined ? [] : [field('compare', curlIn(rightCurl, folder ?? '.'), paint)]),
    ...(isMissing
      ? [field('', 'the file in this command is written next to a report, such as --html FILE', paint)]
      : []),
  ].join('\n');
}

function measuredOf({ results }: Report, paint: Paint): string {
  const lines = results.flatMap(({ check, measured }) =>
    measured === undefined ? [] : [`  ${printable(check.id)}  ${printable(measured)}`],
  );
  return lines.length === 0 ? '' : [paint('bold', 'Measured'), ...lines].join('\n');
}

function field(name: string, text: string, paint: Paint): string {
  const lines = text.split('\n').map(printable);
  return `  ${paint('dim', name.padEnd(10))}${lines.join('\n'.padEnd(13))}`;
}

function knownOf({ results }: Report, paint: Paint): string {
  const known = results.filter(({ outcome }) => outcome === 'known failure');
  if (known.length === 0) return '';
  const lines = known.map(({ check }) => `  ${printable(check.id)}`);
  return [paint('bold', `Known failures: ${count(known.length, 'check')}`), ...lines].join('\n');
}

function notRunOf(report: Report, paint: Paint): string {
  const reasons = notRunByReason(report);
  if (reasons.length === 0) return '';
  const parts = reasons.map(([reason, results]) =>
    [
      `  ${paint('yellow', printable(reason))} (${count(results.length, 'check')})`,
      ...idsOf(results.filter((result) => !wasLeftOut(result)).map(({ check }) => check.id)).map(
        (id) => `    ${printable(id)}`,
      ),
    ].join('\n'),
  );
  return [paint('bold', `Not run: ${count(tally(report.results)['not run'], 'check')}`), ...parts].join('\n');
}

function problemsOf({ problems }: Report, paint: Paint): string {
  if (problems.length === 0) return '';
  const lines = problems.map((problem) => `  ${paint('red', printable(problem))}`);
  return [paint('bold', 'Problems with the run itself'), ...lines].join('\n');
}

function rulesNotShownOf(report: Report, paint: Paint): string {
  const reasons = rulesNotShown(report);
  if (reasons.length === 0) return '';
  const parts = reasons.flatMap(([reason, rules]) => [
    `  ${paint('yellow', printable(reason))}`,
    `    ${rules.map(({ id }) => id).join(', ')}`,
  ]);
  const heading = `Rules not checked: ${tally(report.rules)['not run']} of ${report.rules.length}`;
  return [paint('bold', heading), ...parts].join('\n');
}

function figuresOf(report: Report): string {
  const row = (name: string, results: Parameters<typeof tally>[0]) => {
    const { passed, failed, 'not run': notRun } = tally(results);
    return [name, String(passed), String(failed), String(notRun)];
  };
  const checks = table(
    ['layer', 'passed', 'failed', 'not run'],
    layers.map((layer) => row(layer, resultsOf(report, layer))),
  );
  const promises = table(
    ['promised by', 'passed', 'failed', 'not run'],
    [...report.promises.map((source) => row(source, resultsFrom(report, source))), row('rules shown', report.rules)],
  );
  return `${checks}\n\n${promises}\n\nseed ${report.seed} (--seed ${report.seed} repeats it), ${seconds(report.durationSeconds)}, ${count(requestsOf(report), 'request')}`;
}
