import type { Check } from './model.ts';

/** Checks that may run at once, and how many of them. */
interface Phase {
  readonly checks: readonly Check[];
  readonly workers: number;
}

/**
 * The order in which checks run: those that change something, those that only read, and those that use up a limit. The last
 * follow one another by limit, so that one exhausted window serves them all and no other check waits for the next.
 * @param first tells the checks that run before all others
 */
export function phasesOf(
  checks: readonly Check[],
  workers = 1,
  first: (check: Check) => boolean = () => false,
): Phase[] {
  const later = checks.filter((check) => !first(check));
  const exhausting = later.filter(({ usesUp }) => usesUp !== undefined);
  const others = later.filter(({ usesUp }) => usesUp === undefined);
  // What others need whole is used up last.
  const wantedBy = (limit: string | undefined) =>
    exhausting.filter(({ usesUp, needs }) => usesUp !== limit && needs.some((need) => need === limit)).length;
  const limits = [...new Set(exhausting.map(({ usesUp }) => usesUp))].sort((a, b) => wantedBy(a) - wantedBy(b));
  return [
    { checks: checks.filter(first), workers: 1 },
    { checks: others.filter(({ readsOnly }) => readsOnly !== true), workers: 1 },
    { checks: others.filter(({ readsOnly }) => readsOnly === true), workers },
    { checks: limits.flatMap((limit) => exhausting.filter(({ usesUp }) => usesUp === limit)), workers: 1 },
  ];
}
