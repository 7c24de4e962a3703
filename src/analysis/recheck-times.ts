/** The wait before the next attempt, by the number of consecutive attempts without a response. */
const waitMinutes = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60];

/**
 * In how many milliseconds registries are asked again after this many consecutive attempts without a response, the
 * analysis included; undefined if never.
 */
export function recheckAfter(fruitless: number): number | undefined {
  const minutes = waitMinutes[Math.max(0, fruitless - 1)];
  return minutes === undefined ? undefined : minutes * 60_000;
}
