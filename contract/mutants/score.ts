import { layers } from '../run/model.ts';
import type { MutantResult } from './run-mutant.ts';
import { mutantsByKind } from './list/index.ts';

/** A mutant with what caught it. */
export interface ScoredMutant extends MutantResult {
  readonly kind: string;
  readonly breaks: string;
}

/** How many of the mutants each has caught. */
export interface Score {
  readonly mutants: number;
  readonly stock: number;
  readonly suite: number;
}

/** Adds to each result what the mutant is. */
export function describeResults(results: readonly MutantResult[]): ScoredMutant[] {
  const kinds = Object.entries(mutantsByKind).flatMap(([kind, mutants]) => mutants.map((mutant) => ({ kind, mutant })));
  return results.flatMap((result) => {
    const found = kinds.find(({ mutant }) => mutant.name === result.name);
    return found ? [{ ...result, kind: found.kind, breaks: found.mutant.breaks }] : [];
  });
}

/** Whether a check of the suite has failed. */
export function isCaught(result: MutantResult): boolean {
  return layers.some((layer) => result[layer] !== undefined);
}

export function scoreOf(results: readonly MutantResult[]): Score {
  const count = (caught: (result: MutantResult) => boolean) => results.filter(caught).length;
  return {
    mutants: results.length,
    stock: count(({ stock }) => stock !== undefined),
    suite: count(isCaught),
  };
}
