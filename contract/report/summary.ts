import { styleText } from 'node:util';
import { count, printable, table } from '../cli/run-command.ts';
import type { Outcome, Report } from '../run/model.ts';
import { leftOut } from '../run/selection.ts';
import {
  type BrokenPromise,
  type Observation,
  type Part,
  brokenPromises,
  findingsOf,
  inOneLine,
  layersOf,
  notRunByReason,
  promisesOf,
  requestsOf,
  skippedOf,
  tally,
  verdictOf,
} from './overview.ts';

const mostInFull = 20;
const mostFindings = 3;
const mostLines = 5;

/** The report as text for a terminal; its last line is `N passed, N failed, N skipped`. */
export function summaryOf(report: Report, { coloured }: { readonly coloured: boolean }): string {
  const { results, rules, promises, problems, conforms, seed, durationSeconds } = report;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(style, printable(text), { validateStream: false }) : printable(text);
  const counts = tally(results);
  const broken = brokenPromises(report);
  const known = results.filter(({ outcome }) => outcome === 'known failure');
  const measured = results.flatMap(({ check, measured: told }) => (told === undefined ? [] : [[check.id, told]]));
  const checks = count(counts.failed, 'check');

  return `${[
    ...(broken.length > 0
      ? [
          paint('bold', `Broken promises: ${checks}, ${count(broken.length, 'likely cause')}`),
          ...broken.slice(0, mostInFull).map(inFull),
          broken.slice(mostInFull).map(inALine).join('\n'),
        ]
      : []),
    section(
      `Known failures: ${count(known.length, 'check')}`,
      known.map(({ check }) => `  ${printable(check.id)}`),
    ),
    section(
      `Not run: ${count(counts['not run'], 'check')}`,
      notRunByReason(results).flatMap(({ name, results: notRun }) => [
        `  ${paint('yellow', name)} (${count(notRun.length, 'check')})`,
        ...firstOf(notRun.filter(({ reason }) => reason !== leftOut).map(({ check }) => `    ${printable(check.id)}`)),
      ]),
    ),
    section(
      'Problems with the run itself',
      problems.map((problem) => `  ${paint('red', problem)}`),
    ),
    section(
      'Measured',
      measured.map(([id = '', told = '']) => `  ${printable(id)}  ${printable(told)}`),
    ),
    figures('layer', layersOf(report)),
    figures('promised by', [...promisesOf({ ...report, promises }), { name: 'rules shown', results: rules }]),
    `seed ${seed} (--seed ${seed} repeats it), ${durationSeconds.toFixed(1)} s, ${count(requestsOf(report), 'request')}`,
    section(
      `Rules not checked: ${tally(rules)['not run']} of ${rules.length}`,
      notRunByReason(rules).flatMap(({ name, results: open }) => [
        `  ${paint('yellow', name)}`,
        `    ${open.map(({ id }) => id).join(', ')}`,
      ]),
    ),
    paint(conforms ? 'green' : 'red', `${verdictOf(report)}.`),
    `${counts.passed} passed, ${counts.failed} failed, ${skippedOf(counts)} skipped`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;

  function section(heading: string, lines: readonly string[]): string {
    return lines.length === 0 ? '' : [paint('bold', heading), ...lines].join('\n');
  }

  function inFull({ found, results: [first, ...others], exchanges }: BrokenPromise): string {
    if (!first) return '';
    const { id, title, rules: shown, source } = first.check;
    const findings = findingsOf(first);
    const rest = findings.length - mostFindings;
    const heading = `${found} (${count(others.length + 1, 'check')}, ${count(exchanges, 'exchange')})`;
    return [
      ...(others.length > 0 ? [paint(['red', 'bold'], heading.replaceAll('\n', ' '))] : []),
      paint(['red', 'bold'], id),
      ...field('promised', [`${title} (${[source, ...shown].join(', ')})`]),
      ...findings.slice(0, mostFindings).flatMap(inFields),
      ...(rest > 0 ? [`  and ${count(rest, 'more finding')} of this check; the other reports list all`] : []),
      ...field('also', firstOf(others.map(({ check }) => check.id))),
    ].join('\n');
  }

  function inALine({ found, results: failed }: BrokenPromise): string {
    return `${paint('red', failed[0]?.check.id ?? '')}  ${printable(found)} (${count(failed.length, 'check')})`;
  }

  function inFields({ messages, response, curl, beforeCurl, rightCurl }: Observation): string[] {
    const line = (text: string | undefined) => (text === undefined ? [] : [text]);
    return [
      ...field('found', firstOf(messages)),
      ...field('response', line(response && inOneLine(response))),
      ...field('after', line(beforeCurl)),
      ...field('wrong', line(curl)),
      ...field('right', line(rightCurl)),
    ];
  }

  function field(name: string, texts: readonly string[]): string[] {
    const lines = texts.join('\n').split('\n').map(printable);
    return texts.length === 0 ? [] : [`  ${paint('dim', name.padEnd(10))}${lines.join('\n'.padEnd(13))}`];
  }
}

/** The summary for a pull request, below the verdict. A fence that is longer than any in what was sent and came holds it. */
export function markdownOf(report: Report): string {
  const { target, title, version } = report;
  const text = `${printable(`${title} ${version} at ${target}`)}\n\n${summaryOf(report, { coloured: false })}`;
  const ticks = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...ticks) + 1);
  return `## ${verdictOf(report)}\n\n${fence}text\n${text}${fence}\n`;
}

/** The first of many lines; the other reports list all. */
function firstOf(lines: readonly string[]): readonly string[] {
  const rest = lines.length - mostLines;
  const [, indent = ''] = /^( *)/.exec(lines[0] ?? '') ?? [];
  return rest > 1 ? [...lines.slice(0, mostLines), `${indent}and ${rest} more`] : lines;
}

function figures(heading: string, parts: readonly Part<{ readonly outcome: Outcome }>[]): string {
  const outcomes = ['passed', 'failed', 'not run'] as const;
  return table(
    [heading, ...outcomes],
    parts.map(({ name, results }) => [name, ...outcomes.map((outcome) => String(tally(results)[outcome]))]),
  );
}
