import { layers } from '../run/model.ts';
import { isHarmless } from './harmless/index.ts';
import { isAsExpected, type MutantResult } from './run-mutant.ts';
import { mutantsByKind } from './list/index.ts';

/** A mutant with what caught it. */
export interface ScoredMutant extends MutantResult {
  readonly kind: string;
  readonly breaks: string;
}

/** How many of the mutants each layer caught. */
export interface Score {
  readonly mutants: number;
  readonly stock: number;
  readonly suite: number;
  /** How many of the mutants were found first by a check of the broken promise. */
  readonly asExpected: number;
  readonly harmless: number;
  /** How many of the harmless variants pass. */
  readonly passed: number;
}

/** Adds a description of the mutant to each result. */
export function describeResults(results: readonly MutantResult[]): ScoredMutant[] {
  const kinds = Object.entries(mutantsByKind).flatMap(([kind, mutants]) => mutants.map((mutant) => ({ kind, mutant })));
  return results.flatMap((result) => {
    const found = kinds.find(({ mutant }) => mutant.name === result.name);
    return found ? [{ ...result, kind: found.kind, breaks: found.mutant.breaks }] : [];
  });
}

/** Whether a check of the suite failed. */
export function isCaught(result: MutantResult): boolean {
  return layers.some((layer) => result[layer] !== undefined);
}

/** Whether a server passed the whole suite. */
export function passes(result: MutantResult): boolean {
  return !isCaught(result) && result.problems.length === 0;
}

export function scoreOf(results: readonly MutantResult[]): Score {
  const harmless = results.filter(({ name }) => isHarmless(name));
  const mutants = results.filter(({ name }) => !isHarmless(name));
  const count = (caught: (result: MutantResult) => boolean) => mutants.filter(caught).length;
  return {
    mutants: mutants.length,
    stock: count(({ stock }) => stock !== undefined),
    suite: count(isCaught),
    asExpected: count(isAsExpected),
    harmless: harmless.length,
    passed: harmless.filter(passes).length,
  };
}
