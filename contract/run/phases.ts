import fc from 'fast-check';
import type { Check } from './model.ts';

/** Checks that may run at once, and how many of them. */
interface Phase {
  readonly checks: readonly Check[];
  readonly workers: number;
}

/**
 * The order in which checks run: those that change something, those that only read, those that remove something, and those
 * that use up a limit. The last follow one another by limit, so that one exhausted window serves them all and no other check
 * waits for the next.
 * @param first says which checks run before all others
 * @param sparing if failed authentications are few: a seed that decides which variants of them come first
 */
export function phasesOf(
  checks: readonly Check[],
  workers = 1,
  first: (check: Check) => boolean = () => false,
  sparing?: number,
): Phase[] {
  const later = checks.filter((check) => !first(check));
  const exhausting = later.filter(({ usesUp }) => usesUp !== undefined);
  const failing = sparing === undefined ? [] : essentialFirst(later, sparing);
  const removing = later.filter((check) => check.removes !== undefined && !failing.includes(check));
  const others = later.filter(
    (check) => check.usesUp === undefined && !failing.includes(check) && !removing.includes(check),
  );
  // What others need whole is used up last.
  const wantedBy = (limit: string | undefined) =>
    exhausting.filter(({ usesUp, needs }) => usesUp !== limit && needs.some((need) => need === limit)).length;
  const limits = [...new Set(exhausting.map(({ usesUp }) => usesUp))].sort((a, b) => wantedBy(a) - wantedBy(b));
  return [
    { checks: checks.filter(first), workers: 1 },
    { checks: others.filter(({ readsOnly }) => readsOnly !== true), workers: 1 },
    { checks: others.filter(({ readsOnly }) => readsOnly === true), workers },
    { checks: removing.sort((a, b) => depthOf(b) - depthOf(a)), workers: 1 },
    ...(sparing === undefined ? [] : [{ checks: failing, workers: 1 }]),
    { checks: limits.flatMap((limit) => exhausting.filter(({ usesUp }) => usesUp === limit)), workers: 1 },
  ];
}

/** What belongs to a resource is removed before the resource. */
function depthOf({ removes = '' }: Check): number {
  return removes.split('/').length;
}

/** The checks that fail to authenticate; of the many variants, a seed decides which come first. */
function essentialFirst(checks: readonly Check[], seed: number): Check[] {
  const those = (which: Check['failsToAuthenticate']) =>
    checks.filter(({ failsToAuthenticate }) => failsToAuthenticate === which);
  const variants = those('variants');
  const [shuffled = []] = fc.sample(fc.shuffledSubarray(variants, { minLength: variants.length }), {
    seed,
    numRuns: 1,
  });
  return [...those('once'), ...shuffled];
}
