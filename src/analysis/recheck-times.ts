/** The wait before the next attempt, by the number of attempts in a row without an answer. */
const waitMinutes = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60];

/** When registries are asked again after so many attempts in a row without an answer, the analysis included; undefined if never. */
export function recheckAfter(now: Date, fruitless: number): string | undefined {
  const minutes = waitMinutes[Math.max(0, fruitless - 1)];
  return minutes === undefined ? undefined : new Date(now.getTime() + minutes * 60_000).toISOString();
}
