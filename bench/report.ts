/** The result of a run as Markdown tables that are readable as plain text. */
import { workloadNamed } from './load/workloads.ts';
import type { Figures } from './measure.ts';
import type { Result } from './result.ts';
import { benchServers } from './servers.ts';
import { baselines, type Summary, type Summarised } from './summary.ts';
import { machineLine } from './support/machine.ts';
import type { Spread } from './support/statistics.ts';

/** Above this share of its time, the load generator slows down what it measures. */
const saturated = 0.85;

const columns: readonly (readonly [keyof Figures, string, number])[] = [
  ['requestsPerSecond', 'Requests/s', 0],
  ['p50Milliseconds', 'p50 ms', 2],
  ['p99Milliseconds', 'p99 ms', 2],
  ['cpuMicrosecondsPerRequest', 'CPU µs a request', 0],
  ['peakMemoryMiB', 'Peak MiB', 0],
];

/** The whole result: the machine, the targets, then each workload with its ratios. */
export function describeResult({ machine, packages, options, summaries, targets }: Result): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const workloads = [...new Set(summaries.map(({ workload }) => workload))];
  return [
    machineLine(machine),
    `${options.rounds} rounds of ${options.seconds} s after ${options.warmupSeconds} s of warm-up, each server started ` +
      `anew; ${pinning(options)}. Medians, with the lowest and the highest of the rounds.`,
    `${versions.join(', ')}.`,
    table(['Server', 'What it does', 'Bytes of headers'], serversOf(summaries, options.headBytes)),
    table(
      ['Target', 'Measured', 'Met'],
      targets.map(({ target, seen, held }) => [target, seen, held ? 'yes' : '**no**']),
    ),
    ...workloads.map((workload) => describeWorkload(workload, summaries)),
  ].join('\n\n');
}

function describeWorkload(workload: string, all: readonly Summary[]): string {
  const summaries = all.filter((summary) => summary.workload === workload);
  const { title, connections } = workloadNamed(workload);
  const named = columns.map(([, name]) => name);
  const busiest = Math.max(...summaries.map(({ figures }) => figures.loadBusy.median));
  const compared = baselines.filter((name) => summaries.some(({ server }) => server === name));
  return [
    `### ${title}`,
    `${connections} connections; the load generator was busy for ${(100 * busiest).toFixed(0)}% of its time at most` +
      (busiest > saturated ? ': **it was the limit, not the servers**.' : '.'),
    table(
      ['Server', ...named, ...compared.map((name) => `× ${name}`)],
      summaries.map(({ server, figures, ratios }) => [
        titleOf(server),
        ...cells(figures),
        ...compared.map((name) => spread(ratios[name]?.requestsPerSecond, 2)),
      ]),
    ),
    table(
      ['This server, each figure ÷ that of', ...named],
      summaries.flatMap(({ server, ratios }) =>
        server === 'ours'
          ? compared.map((name) => [titleOf(name), ...columns.map(([column]) => spread(ratios[name]?.[column], 2))])
          : [],
      ),
    ),
  ].join('\n\n');
}

function cells(figures: Summarised): string[] {
  return columns.map(([column, , digits]) => {
    const { median } = figures[column];
    return spread(figures[column], column === 'requestsPerSecond' && median < 100 ? 1 : digits);
  });
}

function spread(value: Spread | undefined, digits: number): string {
  if (!value || Number.isNaN(value.median)) return '-';
  const { median, min, max } = value;
  const text = (number: number) =>
    number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return min === max ? text(median) : `${text(median)} (${text(min)} to ${text(max)})`;
}

function pinning({ serverCore, loadCore }: Result['options']): string {
  return serverCore === undefined || loadCore === undefined
    ? 'not pinned to cores'
    : `the server on core ${serverCore}, the load on core ${loadCore}`;
}

function serversOf(summaries: readonly Summary[], headBytes: Result['options']['headBytes']): string[][] {
  return benchServers
    .filter(({ name }) => summaries.some(({ server }) => server === name))
    .map(({ name, title, does }) => [title, does, String(headBytes[name] ?? '-')]);
}

function titleOf(server: string): string {
  return benchServers.find(({ name }) => name === server)?.title ?? server;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((line) => `| ${line.join(' | ')} |`).join('\n');
}
