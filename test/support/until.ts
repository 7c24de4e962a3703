import { setTimeout as sleep } from 'node:timers/promises';

/** Much more than anything takes on a loaded machine, and less than a test may take, so that its failure says what it waited for. */
const longestMilliseconds = 100_000;

/** Looks until there is something, and gives that. Throws an error naming `what` if it does not come. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
  everyMilliseconds = 20,
): Promise<NonNullable<T>> {
  const end = performance.now() + longestMilliseconds;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end)
      throw new Error(`Waited ${longestMilliseconds / 1000} s in vain: ${typeof what === 'string' ? what : what()}`);
    await sleep(everyMilliseconds);
  }
}
