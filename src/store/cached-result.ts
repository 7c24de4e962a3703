/** Decides whether a cached result still counts, which depends on the evidence in it. */
import type { AnalysisResult } from '../domain/analysis.ts';

/** The criteria for current evidence. */
export interface Currency {
  /** The current edition of every imported register. */
  readonly editions: readonly string[];
  /** Evidence without an edition counts if it was requested between `askedSince` and `askedUntil`, both included. */
  readonly askedSince: string;
  readonly askedUntil: string;
}

/**
 * Whether the evidence in a cached result still counts. Evidence from an imported register counts until the next
 * edition is imported. Evidence from an API, or of the lack of a configured registry, counts until it is too old. A
 * result without evidence always counts, as does evidence about numbers that no public register lists. Evidence saved
 * by a release that did not record editions never counts.
 */
export function isCurrent(result: string, { editions, askedSince, askedUntil }: Currency): boolean {
  const { evidence } = JSON.parse(result) as Partial<AnalysisResult>;
  return (evidence ?? []).every(({ verdict, edition, asked_at: askedAt }) => {
    if (verdict === 'no_public_register') return true;
    return edition === null ? askedSince <= askedAt && askedAt <= askedUntil : editions.includes(edition);
  });
}
