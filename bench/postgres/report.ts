import { describeRatio, median, spreadOf } from '../support/statistics.ts';
import { bare, type PostgresOptions, type Sample } from './run.ts';

/** The samples as a Markdown table: the medians of the rounds, and the ratios to the bare server in each round. */
export function describeSamples(
  { rounds, seconds, connections, poolSize }: PostgresOptions,
  samples: readonly Sample[],
): string {
  const rows = new Map<string, Sample[]>();
  for (const sample of samples) {
    const name = `${sample.workload} | ${sample.server}`;
    rows.set(name, [...(rows.get(name) ?? []), sample]);
  }
  const lines = [...rows].map(([name, own]) => {
    const [first] = own;
    const base = rows.get(`${first?.workload} | ${bare.name}`);
    const ratio = base
      ? describeRatio(
          spreadOf(own.map((sample, round) => sample.requestsPerSecond / (base[round]?.requestsPerSecond ?? NaN))),
        )
      : '';
    const middle = (of: (sample: Sample) => number) => median(own.map(of)).toFixed(0);
    const figures = [
      middle((sample) => sample.requestsPerSecond),
      ratio,
      middle((sample) => sample.p99),
      middle((sample) => sample.serverMicroseconds),
      middle((sample) => sample.databaseMicroseconds),
    ];
    return `| ${name} | ${figures.join(' | ')} |`;
  });
  return [
    `${connections} connections, each of which always has a request in flight, and ${poolSize} to PostgreSQL. Medians of ${rounds} ` +
      `rounds, in which each server has ${seconds} s in turn. Processor time is that of one request.`,
    '',
    '| Operation | Server | Requests/s | Of bare (lowest to highest) | p99, ms | Server, µs | PostgreSQL, µs |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n');
}
