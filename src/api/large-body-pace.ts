/**
 * Large bodies give way to other responses. Else clients that fetch them as fast as they can would take all processor time,
 * and every other request would wait. While others are sent, large bodies together get as much as a gigabit network carries;
 * otherwise, as much as their clients take.
 */

/** After a part, which has at most 128 KiB. */
const pauseMilliseconds = 1;
/** How long ago the last other response may be for others to be expected. */
const othersMilliseconds = 100;

export class LargeBodyPace {
  #lastOther = -Infinity;
  #pause: Promise<void> | undefined;

  /** To be called when a body that is not large has been sent. */
  otherSent(): void {
    this.#lastOther = performance.now();
  }

  /** To be awaited before a part of a large body is sent. Those who wait are let go in the order in which they came. */
  async beforePart(): Promise<void> {
    if (performance.now() - this.#lastOther > othersMilliseconds) return;
    while (this.#pause) await this.#pause;
    this.#pause = new Promise((resolve) => {
      setTimeout(() => {
        this.#pause = undefined;
        resolve();
      }, pauseMilliseconds);
    });
  }
}

/** That of this process, whose processor time it is about. */
export const largeBodyPace = new LargeBodyPace();
