/** Until when a cached result counts: as long as the evidence in it does. */
import type { AnalysisResult } from '../domain/analysis.ts';

/** What evidence is judged by. */
export interface Currency {
  /** Of every register that is imported now. */
  readonly editions: readonly string[];
  /** Evidence of no edition counts if its question was asked at this time or later, but not later than the other one. */
  readonly askedSince: string;
  readonly askedUntil: string;
}

/**
 * Whether the evidence in a cached result still counts: that of an imported register until another edition takes its place,
 * and that of an API, or of having no registry to ask, until it is too old. A result without evidence always counts, as does
 * evidence of numbers that are in no public register. Evidence of a release that named no edition never counts.
 */
export function isCurrent(result: string, { editions, askedSince, askedUntil }: Currency): boolean {
  const { evidence } = JSON.parse(result) as Partial<AnalysisResult>;
  return (evidence ?? []).every(({ verdict, edition, asked_at: askedAt }) => {
    if (verdict === 'no_public_register') return true;
    return edition === null ? askedSince <= askedAt && askedAt <= askedUntil : editions.includes(edition);
  });
}
