/** The median of a sample, and its range. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which a share of the sample lies (nearest rank). @throws {RangeError} if the sample is empty */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
  if (value === undefined) throw new RangeError('A sample without values has no percentiles.');
  return value;
}

/**
 * The median; the mean of the two middle values if their number is even. @throws {RangeError} if the sample is empty
 */
export function median(sample: readonly number[]): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError('A sample without values has no median.');
  return (lower + upper) / 2;
}

/** A ratio with its range, such as `1.29 (0.83 to 1.40)`. */
export function describeRatio({ median: middle, min, max }: Spread): string {
  return `${middle.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}

/** @throws {RangeError} if the sample is empty */
export function spreadOf(sample: readonly number[]): Spread {
  return { median: median(sample), min: Math.min(...sample), max: Math.max(...sample) };
}
