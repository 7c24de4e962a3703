import type { CheckResult, Report } from '../run/model.ts';
import {
  countsOf,
  failedChecks,
  inOneLine,
  layers,
  notRunByReason,
  observationsOf,
  resultsOf,
  tally,
  verdictOf,
} from './tally.ts';

/** Comments and step summaries are limited in size. */
const mostInFull = 20;

/**
 * The report for a pull request: the verdict, the counts, the failed checks, and the reasons for checks that were not
 * run.
 */
export function markdownOf(report: Report): string {
  const failed = failedChecks(report);
  const rest = failed.slice(mostInFull);
  const parts = [
    `## ${verdictOf(report)}`,
    `\`${plain(report.target)}\`, ${text(report.title)} ${plain(report.version)}, seed ${report.seed}`,
    figuresOf(report),
    ...report.problems.map((problem) => `- ${text(problem)}`),
    ...failed.slice(0, mostInFull).map(failureOf),
    rest.map(({ check, failures: [first] }) => `- ${code(check.id)} ${text(first?.message ?? '')}`).join('\n'),
    notRunByReason(report)
      .map(([reason, results]) => `- not run: ${text(reason)} (${results.length})`)
      .join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function figuresOf(report: Report): string {
  const row = (name: string, results: readonly CheckResult[]) => {
    const { passed, failed, skipped } = countsOf(tally(results));
    return `| ${name} | ${passed} | ${failed} | ${skipped} |`;
  };
  return [
    '| Layer | Passed | Failed | Skipped |',
    '|---|---:|---:|---:|',
    ...layers.map((layer) => row(layer, resultsOf(report, layer))),
    row('all', report.results),
  ].join('\n');
}

function failureOf(result: CheckResult): string {
  const { check } = result;
  const [first] = observationsOf(result);
  const response = first?.response === undefined ? undefined : inOneLine(first.response);
  const right = first?.rightCurl === undefined ? undefined : `# This gets the right response:\n${first.rightCurl}`;
  const lines = [first?.curl, response, right].filter((line) => line !== undefined);
  return [
    `<details><summary>${code(check.id)} ${text(first?.messages[0] ?? '')}</summary>`,
    text(check.rules.length > 0 ? `${check.title} (${check.rules.join(', ')})` : check.title),
    ...(lines.length > 0 ? [fenced(lines.join('\n\n'))] : []),
    '</details>',
  ].join('\n\n');
}

/** A code block whose fence is longer than any in its content. */
function fenced(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}sh\n${content.replace(/\r/g, '')}\n${fence}`;
}

function code(content: string): string {
  return `<code>${text(content)}</code>`;
}

/** One line, with HTML and Markdown escaped. */
function text(content: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return plain(content)
    .replace(/[&<>]/g, (sign) => escapes[sign] ?? sign)
    .replace(/[\\`*_[\]|#@~]/g, '\\$&');
}

function plain(content: string): string {
  return content.replace(/\s+/g, ' ');
}
