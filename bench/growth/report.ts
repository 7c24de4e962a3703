import { type Machine, machineLine } from '../support/machine.ts';
import { drawCurves, type Panel, type Series } from './chart.ts';
import type { Axis, Growth, GrowthOptions, Point } from './run.ts';

/** The result of a run, as written to disk. */
export interface GrowthResult extends Growth {
  readonly machine: Machine;
  readonly options: GrowthOptions;
}

const axes: Readonly<Record<Axis, { title: string; what: string }>> = {
  cases: { title: 'Time of an operation by the cases in the store', what: 'cases in the store, 10 files each' },
  files: { title: 'Time to read a case by its files', what: 'files in the case' },
  connections: { title: 'By connections, each of which always has a request in flight', what: 'connections' },
};

/** The measured axes. */
const axesOf = ({ points }: Growth): Axis[] =>
  (Object.keys(axes) as Axis[]).filter((axis) => points.some((point) => point.axis === axis));

/** The charts, by the suffix of their file names. */
export function chartsOf(result: GrowthResult): Map<Axis, string> {
  const { node, processor, measuredAt } = result.machine;
  const subtitle =
    `${result.options.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}. Medians; dashed: p99. ` +
    `Node.js ${node.slice(1)}, one core of ${processor}, ${measuredAt.slice(0, 10)}.`;
  return new Map(
    axesOf(result).map((axis) => [axis, drawCurves(axes[axis].title, subtitle, panelsOf(axis, result.points))]),
  );
}

/** The whole result as Markdown tables that are readable as plain text. */
export function describeGrowth(result: GrowthResult): string {
  const sizes = Object.entries(result.storeBytes).map(
    ([cases, bytes]) => `${Number(cases).toLocaleString('en')}: ${(bytes / 2 ** 20).toFixed(0)} MiB`,
  );
  const engine = result.options.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return [
    machineLine(result.machine),
    `${engine}. Size of the store by its cases: ${sizes.join(', ')}.`,
    ...axesOf(result).map((axis) => describeAxis(axis, result.points)),
  ].join('\n\n');
}

function describeAxis(axis: Axis, points: readonly Point[]): string {
  const own = points.filter((point) => point.axis === axis);
  const places = [...new Set(own.map(({ at }) => at))];
  const rows = operationsOf(own).map((operation) => [
    operation,
    ...places.map((at) => {
      const point = own.find((each) => each.operation === operation && each.at === at);
      if (!point) return '';
      const latency = `${figure(point.p50)} / ${figure(point.p99)}`;
      return axis === 'connections' ? `${latency}, ${point.requestsPerSecond.toFixed(0)}/s` : latency;
    }),
  ]);
  return table([`p50 / p99 ms by ${axes[axis].what}`, ...places.map((at) => at.toLocaleString('en'))], rows);
}

function panelsOf(axis: Axis, points: readonly Point[]): Panel[] {
  const own = points.filter((point) => point.axis === axis);
  const xTitle = axes[axis].what;
  const times: Panel = {
    title: 'Milliseconds an operation',
    xTitle,
    yTitle: 'ms',
    series: operationsOf(own).flatMap((name): Series[] => {
      const of = own.filter(({ operation }) => operation === name);
      return [
        { name, points: of.map(({ at, p50 }) => ({ x: at, y: p50 })) },
        { name, points: of.map(({ at, p99 }) => ({ x: at, y: p99 })), faint: true },
      ];
    }),
  };
  if (axis !== 'connections') return [times];
  const rates = operationsOf(own).map((name): Series => {
    const of = own.filter(({ operation }) => operation === name);
    return { name, points: of.map(({ at, requestsPerSecond }) => ({ x: at, y: requestsPerSecond })) };
  });
  return [times, { title: 'Requests a second', xTitle, yTitle: 'requests/s', series: rates }];
}

function operationsOf(points: readonly Point[]): string[] {
  return [...new Set(points.map(({ operation }) => operation))];
}

function figure(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
