import type { CheckResult, Report } from '../run/model.ts';
import {
  failedChecks,
  findingsOf,
  inOneLine,
  layersOf,
  notRunByReason,
  skippedOf,
  tally,
  verdictOf,
} from './overview.ts';

/** Comments and step summaries are limited in size. */
const mostInFull = 20;

/** The report for a pull request: the verdict, the counts, the failed checks, and why checks were not run. */
export function markdownOf(report: Report): string {
  const failed = failedChecks(report);
  const rows = [...layersOf(report), { name: 'all', results: report.results }].map(({ name, results }) => {
    const counts = tally(results);
    return `| ${name} | ${counts.passed} | ${counts.failed} | ${skippedOf(counts)} |`;
  });
  const parts = [
    `## ${verdictOf(report)}`,
    `\`${plain(report.target)}\`, ${text(report.title)} ${plain(report.version)}, seed ${report.seed}`,
    ['| Layer | Passed | Failed | Skipped |', '|---|---:|---:|---:|', ...rows].join('\n'),
    ...report.problems.map((problem) => `- ${text(problem)}`),
    ...failed.slice(0, mostInFull).map(failureOf),
    failed
      .slice(mostInFull)
      .map(({ check, failures: [first] }) => `- ${code(check.id)} ${text(first?.message ?? '')}`)
      .join('\n'),
    notRunByReason(report.results)
      .map(({ name, results }) => `- not run: ${text(name)} (${results.length})`)
      .join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function failureOf(result: CheckResult): string {
  const { check } = result;
  const [first] = findingsOf(result);
  const right = first?.rightCurl && `# This gets the right response:\n${first.rightCurl}`;
  const lines = [first?.curl, first?.response && inOneLine(first.response), right].filter((line) => line !== undefined);
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

function text(content: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return plain(content)
    .replace(/[&<>]/g, (sign) => escapes[sign] ?? sign)
    .replace(/[\\`*_[\]|#@~]/g, '\\$&');
}

function plain(content: string): string {
  return content.replace(/\s+/g, ' ');
}
