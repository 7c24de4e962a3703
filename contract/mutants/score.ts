import type { FaultResult } from './run-mutant.ts';
import { faultsByKind } from './list/index.ts';

/** A fault with what caught it. */
export interface ScoredFault extends FaultResult {
  readonly kind: string;
  readonly breaks: string;
}

/** How many of the faults each has caught. */
export interface Score {
  readonly faults: number;
  readonly stock: number;
  readonly replay: number;
  readonly suite: number;
}

/** Adds to each result what the fault is. */
export function describeResults(results: readonly FaultResult[]): ScoredFault[] {
  const kinds = Object.entries(faultsByKind).flatMap(([kind, faults]) => faults.map((fault) => ({ kind, fault })));
  return results.flatMap((result) => {
    const found = kinds.find(({ fault }) => fault.name === result.name);
    return found ? [{ ...result, kind: found.kind, breaks: found.fault.breaks }] : [];
  });
}

/** Whether a check of the suite has failed. */
export function isCaught({ replay, rules, generated }: FaultResult): boolean {
  return [replay, rules, generated].some((id) => id !== undefined);
}

export function scoreOf(results: readonly FaultResult[]): Score {
  const count = (caught: (result: FaultResult) => boolean) => results.filter(caught).length;
  return {
    faults: results.length,
    stock: count(({ stock }) => stock !== undefined),
    replay: count(({ replay }) => replay !== undefined),
    suite: count(isCaught),
  };
}
