import type { Figures } from './measure.ts';
import type { Cell } from './run.ts';
import { type Spread, spreadOf } from './support/statistics.ts';

/** The servers that others are compared with. */
export const baselines = ['limit', 'fastify-our-store', 'fastify', 'stock'] as const;

export type Baseline = (typeof baselines)[number];

export type Summarised = { readonly [Name in keyof Figures]: Spread };

/** The figures of one server under one workload over all rounds, with its ratios. */
export interface Summary {
  readonly server: string;
  readonly workload: string;
  readonly figures: Summarised;
  /** Each figure divided by that of a baseline in the same round; absent if the baseline was not measured. */
  readonly ratios: { readonly [Name in Baseline]?: Summarised };
}

/** Summarises rounds as medians with minimum and maximum. */
export function summarise(cells: readonly Cell[]): Summary[] {
  return cells.map(({ server, workload, rounds }) => {
    const ratios = baselines.flatMap((name) => {
      const baseline = cells.find((cell) => cell.server === name && cell.workload === workload);
      return baseline ? [[name, spreads(rounds.map((round, index) => ratio(round, baseline.rounds[index])))]] : [];
    });
    return { server, workload, figures: spreads(rounds), ratios: Object.fromEntries(ratios) as Summary['ratios'] };
  });
}

/** The summary of one server under one workload. */
export function summaryOf(summaries: readonly Summary[], server: string, workload: string): Summary | undefined {
  return summaries.find((each) => each.server === server && each.workload === workload);
}

function ratio(figures: Figures, baseline: Figures | undefined): Figures {
  return map(figures, (name) => figures[name] / (baseline?.[name] ?? NaN));
}

function spreads(rounds: readonly Figures[]): Summarised {
  const [first] = rounds;
  if (!first) throw new RangeError('There are no rounds to summarise.');
  return map(first, (name) => spreadOf(rounds.map((round) => round[name])));
}

function map<Value>(figures: Figures, valueOf: (name: keyof Figures) => Value): { [Name in keyof Figures]: Value } {
  const names = Object.keys(figures) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as { [Name in keyof Figures]: Value };
}
