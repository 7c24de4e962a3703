/**
 * Compares the response times of two requests. They are measured alternately, so that a slowdown of the server or the
 * network affects both, and compared by rank, so that one slow response in a hundred has no influence. A difference
 * counts only if the medians differ by 5 ms and one request is slower in four of five pairs, in three successive
 * samples of increasing size, always with the same slower request. Without a real difference, this happens less than
 * once in a hundred million runs, whatever the distribution of the times.
 */
const sampleSizes = [8, 16, 24];
const smallestShiftMs = 5;
const smallestDominance = 0.8;

/** The measurements of two requests, in milliseconds. */
export interface ComparedTimes {
  readonly medians: readonly [number, number];
  /** The share of pairs in which the first took longer: 0.5 if there is no difference. */
  readonly dominance: number;
  readonly responses: number;
  /** Whether the difference is large in every sample. */
  readonly isLarge: boolean;
}

/** Sends two requests alternately, and stops after the first sample without a large difference. */
export async function compareTimes(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<ComparedTimes> {
  let compared: ComparedTimes | undefined;
  let direction = 0;
  for (const size of sampleSizes) {
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < size; turn += 1)
      // Alternates which request is sent first.
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

/** The share of all pairs in which the value of the first is larger. */
function dominanceOf(first: readonly number[], second: readonly number[]): number {
  const above = first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return above.reduce<number>((sum, each) => sum + each, 0) / above.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2;
}
