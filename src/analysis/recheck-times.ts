/** How long nobody asks again, by how often in a row there was no answer. */
const waitMinutes = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60];

/**
 * In how many milliseconds registries are asked again that gave no answer so often in a row, the analysis included; never
 * if it is undefined.
 */
export function recheckAfter(fruitless: number): number | undefined {
  const minutes = waitMinutes[Math.max(0, fruitless - 1)];
  return minutes === undefined ? undefined : minutes * 60_000;
}
