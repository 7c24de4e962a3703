import { type Machine, machineLine } from '../support/machine.ts';
import { describeRatio, type Spread, spreadOf } from '../support/statistics.ts';
import type { Throughput } from './measure.ts';
import type { Footprint, FootprintOptions, LoadStands, WorkersFootprint } from './run.ts';

/** The result of a run, as written to disk. */
export interface FootprintResult extends Footprint {
  readonly machine: Machine;
  readonly options: FootprintOptions;
}

/** The whole result as Markdown tables that are readable as plain text. */
export function describeFootprint({ machine, options, servers, workers }: FootprintResult): string {
  return [
    machineLine(machine),
    `Medians of ${options.starts} starts and ${options.rounds} rounds, with the lowest and the highest.`,
    table(
      [
        'Server',
        'Start to first response, ms',
        'Processor time of it, ms',
        'Idle RSS, MiB',
        'Idle PSS, MiB',
        'RSS after 1,000 requests',
        'PSS after them',
      ],
      servers.map(({ title, starts, memory }) => [
        title,
        figure(starts.map(({ milliseconds }) => milliseconds)),
        figure(starts.map(({ cpuMilliseconds }) => cpuMilliseconds)),
        figure(memory.map(({ before }) => before.rssMiB)),
        figure(memory.map(({ before }) => before.pssMiB)),
        figure(memory.map(({ after }) => after.rssMiB)),
        figure(memory.map(({ after }) => after.pssMiB)),
      ]),
    ),
    table(
      ['This server', 'Workers, a core each', 'The load', 'Requests/s', 'Its CPU µs a request', 'CPU µs of the load'],
      workers.map(({ workload, workers: number, loadStands, rounds }) => [
        workload,
        String(number),
        loadStands === 'elsewhere' ? 'on another core' : 'on the same',
        figure(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
        figure(rounds.map(({ serverCpuMicroseconds }) => serverCpuMicroseconds)),
        figure(rounds.map(({ loadCpuMicroseconds }) => loadCpuMicroseconds)),
      ]),
    ),
    table(
      [
        'Two workers to one, by requests/s',
        'Both with the load on their cores',
        'One with the load on another core',
        'By their processor time a request',
      ],
      [...new Set(workers.map(({ workload }) => workload))].map((workload) => describeGain(workload, workers)),
    ),
  ].join('\n\n');
}

/**
 * Two workers and the load generator share two cores, so their throughput is limited by the sum of their costs. It is
 * compared with one worker that shares its core with the load generator. The throughput of two workers with the load
 * generated elsewhere follows from the additional processor time per request, compared with one worker.
 */
function describeGain(workload: string, workers: readonly WorkersFootprint[]): string[] {
  const roundsOf = (wanted: number, loadStands: LoadStands) =>
    workers.find((each) => each.workload === workload && each.workers === wanted && each.loadStands === loadStands)
      ?.rounds ?? [];
  const two = roundsOf(2, 'on the same');
  const gainOver = (one: readonly Throughput[]) =>
    describeRatio(
      spreadOf(two.map(({ requestsPerSecond }, round) => requestsPerSecond / Number(one[round]?.requestsPerSecond))),
    );
  const alone = roundsOf(1, 'elsewhere');
  const byCost = two.map(({ serverCpuMicroseconds }, round) => {
    return (2 * Number(alone[round]?.serverCpuMicroseconds)) / serverCpuMicroseconds;
  });
  return [workload, gainOver(roundsOf(1, 'on the same')), gainOver(alone), describeRatio(spreadOf(byCost))];
}

function figure(sample: readonly number[]): string {
  if (sample.length === 0) return '-';
  const { median: middle, min, max }: Spread = spreadOf(sample);
  return `${middle.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
