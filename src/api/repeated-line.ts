const periodMilliseconds = 60_000;

/** Decides which of many equal lines of a log are written: the first, and then one a minute. */
export class RepeatedLine {
  #nextAt = -Infinity;
  #omitted = 0;

  /** What a line that is written adds about those that were not; undefined if this one is not written either. */
  next(): { omitted?: number } | undefined {
    const now = performance.now();
    if (now < this.#nextAt) {
      this.#omitted += 1;
      return undefined;
    }
    const omitted = this.#omitted;
    this.#omitted = 0;
    this.#nextAt = now + periodMilliseconds;
    return omitted === 0 ? {} : { omitted };
  }
}
