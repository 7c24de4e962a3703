import { cpus } from 'node:os';
import type { HostileReport } from './hostile.ts';
import type { Figures, Line, MemorySample, Phase } from './recorder.ts';
import { growthPerMinute, type Finding } from './verdict.ts';

/** All that a run has to tell. */
export interface SoakReport {
  readonly startedAt: string;
  readonly options: object;
  readonly machine: { readonly processors: number; readonly model: string; readonly node: string };
  readonly interrupted: boolean;
  readonly held: boolean;
  readonly findings: readonly Finding[];
  readonly phases: readonly Phase[];
  readonly hostile: readonly HostileReport[];
  readonly lines: readonly Line[];
}

export function machine(): SoakReport['machine'] {
  return { processors: cpus().length, model: cpus()[0]?.model ?? '', node: process.version };
}

/** One line for people. */
export function describeLine(line: Line): string {
  return [
    `${line.seconds.toFixed(0).padStart(4)} s ${line.phase.padEnd(7)}`,
    `${line.rate.toFixed(0).padStart(4)}/s`,
    `${faultsOf(line)} faults`,
    `p50 ${line.p50.toFixed(1)}`,
    `p99 ${line.p99.toFixed(1)}`,
    `max ${line.max.toFixed(0)} ms`,
    `RSS ${line.rssMiB.toFixed(0)} MiB`,
    `lag ${line.lagMilliseconds.toFixed(0)} ms (own ${line.ownLagMilliseconds.toFixed(0)})`,
    `${line.connections} connections`,
    `load ${line.loadAverage.toFixed(1)}`,
  ].join('  ');
}

/** The result as tables of Markdown, which can be read as they are. */
export function describeReport({ findings, phases, hostile, lines }: SoakReport): string {
  const loads = lines.map(({ loadAverage }) => loadAverage);
  return [
    table(
      Object.keys(phaseColumns),
      phases.map((phase) => Object.values(phaseColumns).map((cell) => cell(phase))),
    ),
    table(
      ['Hostile clients', 'At once', 'Connections', 'Responses', 'Closed without response', 'Not connected'],
      hostile.map((kind) => {
        const responses = Object.entries(kind.responses).map(([status, times]) => `${times} × ${status}`);
        return [
          kind.name,
          kind.mostOpen,
          kind.connections,
          responses.join(', ') || '-',
          kind.closedWithoutResponse,
          kind.notConnected,
        ];
      }),
    ),
    table(
      ['Bound', 'Met', 'Measured'],
      findings.map(({ promise, held, seen }) => [promise, held === undefined ? '-' : held ? 'yes' : '**no**', seen]),
    ),
    `Load average of the machine: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.`,
  ].join('\n\n');
}

const mib = (samples: readonly MemorySample[], of: 'rssMiB' | 'heapMiB') => samples.map((sample) => sample[of]);

const phaseColumns: Readonly<Record<string, (phase: Phase) => string | number>> = {
  Phase: ({ name }) => name,
  Seconds: ({ seconds }) => seconds.toFixed(0),
  Requests: ({ requests }) => requests,
  Errors: faultsOf,
  'p50 ms': ({ p50 }) => p50.toFixed(1),
  'p99 ms': ({ p99 }) => p99.toFixed(1),
  'Max ms': ({ max }) => max.toFixed(0),
  'RSS MiB': ({ memory }) => [Math.min, Math.max].map((pick) => pick(...mib(memory, 'rssMiB')).toFixed(0)).join(' to '),
  'Lowest heap MiB': ({ memory }) => Math.min(...mib(memory, 'heapMiB')).toFixed(0),
  'RSS MiB a minute': ({ memory }) => growthPerMinute(memory).toFixed(2),
  Connections: ({ mostConnections }) => mostConnections,
};

function faultsOf({ faults }: Figures): number {
  return Object.values(faults).reduce((sum, times) => sum + times, 0);
}

function table(head: string[], rows: (string | number)[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
