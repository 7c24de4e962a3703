/** Results as Markdown that is readable as plain text. */
import type { Footprint } from './footprint.ts';
import { type Figures, type Quartiles, ratioOf } from './harness.ts';
import { quantile } from './machine.ts';
import { workloadNamed } from './workloads.ts';

/** A ratio of two servers that is to be reached. */
export interface Target {
  readonly workload: string;
  readonly name: string;
  readonly of: string;
  readonly atLeast: number;
}

/** Above this share of its time, the load generator slows down what it measures. */
const saturated = 0.9;

/**
 * The servers under each workload, and the ratios that have targets: `0.90 (0.88 to 0.93), of 0.85` is a median with its
 * quartiles. A target is met only if the lower quartile meets it; others are in bold.
 */
export function describeFigures(
  figures: readonly Figures[],
  titles: ReadonlyMap<string, string>,
  targets: readonly Target[],
): string {
  const names = [...titles.keys()].filter((name) => figures.some((each) => each.name === name));
  const workloads = [...new Set(figures.map(({ workload }) => workload))];
  const rows = (columns: readonly string[], cell: (workload: string, column: string) => string | undefined) =>
    workloads.map((workload) => [workloadNamed(workload).title, ...columns.map((each) => cell(workload, each) ?? '-')]);
  const ofEach = (cell: (figure: Figures) => string) =>
    rows(names, (workload, name) => {
      const figure = figures.find((each) => each.workload === workload && each.name === name);
      return figure && cell(figure);
    });
  const heads = names.map((name) => titles.get(name) ?? name);
  const pairs = [...new Set(targets.map(({ name, of }) => `${name} ÷ ${of}`))];
  const ratio = (wanted: string, pair: string) => {
    const target = targets.find(({ workload, name, of }) => workload === wanted && pair === `${name} ÷ ${of}`);
    const found = target && ratioOf(figures, wanted, target.name, target.of);
    return found && describeRatio(found, target.atLeast);
  };
  const busy = figures.flatMap(({ name, workload, loadBusy }) =>
    loadBusy > saturated ? [`${name} (${workload})`] : [],
  );
  return [
    table(
      ['Requests a second', ...heads],
      ofEach(({ requestsPerSecond: rates }) => Math.round(quantile(rates, 0.5)).toLocaleString('en')),
    ),
    table(
      ['Processor, µs a request', ...heads],
      ofEach(({ processorMicroseconds: cost }) => cost.toFixed(cost < 100 ? 1 : 0)),
    ),
    table(['Ratio of the requests a second', ...pairs], rows(pairs, ratio)),
    ...(busy.length > 0
      ? [`The load generator took over ${100 * saturated}% of its core for ${busy.join(', ')}.`]
      : []),
  ].join('\n\n');
}

function describeRatio([lower, median, upper]: Quartiles, atLeast: number): string {
  const text = `${median.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)}), of ${atLeast}`;
  return lower >= atLeast ? text : `**${text}**`;
}

export function describeFootprint(footprints: readonly Footprint[]): string {
  const cell = (value: number | undefined) => (value === undefined ? '-' : value.toFixed(0));
  return table(
    ['Server', 'Start, ms', 'Idle, MiB', 'After reads', 'After updates', 'Growth by the case of 100,000 files'],
    footprints.map(({ title, start, idle, afterReads, afterUpdates, growth }) => [
      title,
      ...[start, idle, afterReads, afterUpdates, growth].map(cell),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_name, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}
