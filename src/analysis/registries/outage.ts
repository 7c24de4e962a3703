/** Pauses requests to a service that keeps failing: a circuit breaker. */

/** The service is not asked now, because it failed repeatedly. */
export class LeftAloneError extends Error {
  override readonly name = 'LeftAloneError';
}

/**
 * Counts consecutive failures. After the maximum, requests pause for a while; then one request finds out whether the
 * service works again. Logs the beginning and the end of an outage. Uses a monotonic clock, so setting the system time
 * has no effect.
 */
export class Outage {
  readonly #failuresUntilLeftAlone: number;
  readonly #leftAloneMilliseconds: number;
  readonly #tell: { readonly begun: () => void; readonly over: () => void };
  #failures = 0;
  #leftAloneUntil = -Infinity;

  constructor(
    pace: { readonly failuresUntilLeftAlone: number; readonly leftAloneMilliseconds: number },
    tell: { readonly begun: () => void; readonly over: () => void },
  ) {
    this.#failuresUntilLeftAlone = pace.failuresUntilLeftAlone;
    this.#leftAloneMilliseconds = pace.leftAloneMilliseconds;
    this.#tell = tell;
  }

  /**
   * Does the work, whose errors count as failures if `isFailure` says so.
   * @throws {LeftAloneError} during the pause; what the work throws
   */
  async watch<T>(work: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T> {
    if (this.#isKnown) {
      if (performance.now() < this.#leftAloneUntil) throw new LeftAloneError();
      this.#leaveAlone();
    }
    try {
      const result = await work();
      if (this.#isKnown) this.#tell.over();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (isFailure(error)) {
        this.#failures += 1;
        this.#leaveAlone();
        if (this.#failures === this.#failuresUntilLeftAlone) this.#tell.begun();
      }
      throw error;
    }
  }

  get #isKnown(): boolean {
    return this.#failures >= this.#failuresUntilLeftAlone;
  }

  #leaveAlone(): void {
    this.#leftAloneUntil = performance.now() + this.#leftAloneMilliseconds;
  }
}
