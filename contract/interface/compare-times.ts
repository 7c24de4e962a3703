/**
 * Compares the response times of two requests. They are measured alternately, so that whatever slows the server or the network
 * down meanwhile slows both, and compared by ranks, which one slow response in a hundred does not move. A difference counts
 * only if a response of one request is slower than one of the other in four of five pairs, and by 5 ms, in three samples one
 * after the other, each larger than the one before and with the same request as the slower one. Where there is no difference,
 * that happens less than once in a hundred million runs, however the times are distributed.
 */
const sampleSizes = [8, 16, 24];
const smallestShiftMs = 5;
const smallestDominance = 0.8;

/** What was measured of two requests, in milliseconds. */
export interface ComparedTimes {
  readonly medians: readonly [number, number];
  /** In how much of all pairs the first took longer: 0.5 if there is no difference. */
  readonly dominance: number;
  readonly responses: number;
  /** Whether the difference is large in each of the samples. */
  readonly isLarge: boolean;
}

/** Sends two requests alternately, and stops with the first sample that shows no large difference. */
export async function compareTimes(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<ComparedTimes> {
  let compared: ComparedTimes | undefined;
  let direction = 0;
  for (const size of sampleSizes) {
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < size; turn += 1)
      // Neither is always the one that follows the other.
      for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const began = performance.now();
        await (which === 0 ? first : second)();
        times[which].push(performance.now() - began);
      }
    const medians = [medianOf(times[0]), medianOf(times[1])] as const;
    const dominance = dominanceOf(...times);
    const shift = medians[0] - medians[1];
    const isLarge =
      Math.abs(shift) >= smallestShiftMs &&
      Math.max(dominance, 1 - dominance) >= smallestDominance &&
      Math.sign(shift) !== -direction;
    direction = Math.sign(shift);
    compared = { medians, dominance, responses: 2 * size, isLarge };
    if (!isLarge) break;
  }
  return compared as ComparedTimes;
}

/** How often a value of the first is above one of the second, over all pairs. */
function dominanceOf(first: readonly number[], second: readonly number[]): number {
  const above = first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return above.reduce<number>((sum, each) => sum + each, 0) / above.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2;
}
