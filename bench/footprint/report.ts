import { type Machine, machineLine } from '../support/machine.js';
import { median, type Spread, spreadOf } from '../support/statistics.js';
import type { Footprint, FootprintOptions, WorkersFootprint } from './run.js';

/** What a run has shown, as it is written to disk. */
export interface FootprintResult extends Footprint {
  readonly machine: Machine;
  readonly options: FootprintOptions;
}

/** The whole result as tables of Markdown that can be read as they are. */
export function describeFootprint({ machine, options, servers, workers }: FootprintResult): string {
  return [
    machineLine(machine),
    `Medians of ${options.starts} starts and ${options.rounds} rounds, with the lowest and the highest.`,
    table(
      [
        'Server',
        'Start to first answer, ms',
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
      ['This server', 'Workers', 'Requests/s', 'Its CPU µs a request', 'CPU µs of the load'],
      workers.map(({ workload, workers: number, rounds }) => [
        workload,
        String(number),
        figure(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
        figure(rounds.map(({ serverCpuMicroseconds }) => serverCpuMicroseconds)),
        figure(rounds.map(({ loadCpuMicroseconds }) => loadCpuMicroseconds)),
      ]),
    ),
    table(
      ['Two workers to one', 'Requests/s, the load on the same two cores', 'Requests/s that two free cores would give'],
      [...new Set(workers.map(({ workload }) => workload))].map((workload) => describeGain(workload, workers)),
    ),
  ].join('\n\n');
}

/**
 * Two workers and the load share two cores, so what they answer together is bounded by the sum of both their costs. What
 * they would answer if the load came from elsewhere follows from how much more a request costs than with one worker.
 */
function describeGain(workload: string, workers: readonly WorkersFootprint[]): string[] {
  const of = (wanted: number) =>
    workers.find((each) => each.workload === workload && each.workers === wanted)?.rounds ?? [];
  const [one, two] = [of(1), of(2)];
  const ratio = (pick: 'requestsPerSecond' | 'serverCpuMicroseconds') =>
    median(two.map((round) => round[pick])) / median(one.map((round) => round[pick]));
  return [workload, ratio('requestsPerSecond').toFixed(2), (2 / ratio('serverCpuMicroseconds')).toFixed(2)];
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
