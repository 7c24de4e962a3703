import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from './model.ts';
import { limitStatedBy } from './rate-limit-fields.ts';
import { SharedLimits } from './shared-limits.ts';

/** The longest time that the suite lets a target make it wait, for a rate limit or a `Retry-After`. */
export const longestWaitSeconds = 120;

/** The requests left of a limit, and when it is renewed. */
interface Left {
  readonly requests: number;
  readonly until: number;
}

/** A request would have to wait for longer than the suite waits. */
export class LongWaitError extends Error {
  override readonly name = 'LongWaitError';
}

/**
 * Keeps the suite within the target's limits: it remembers what each response's `RateLimit` header left, and lets a request
 * wait for the next window when nothing is left. Which limit a request counts against, the caller says.
 */
export class Pacing {
  readonly #left = new Map<string, Left>();
  /** Requests that have been sent and have no response yet. */
  readonly #inFlight = new Map<string, number>();
  readonly #onWait: (seconds: number, limit: string) => void;
  readonly #shared: SharedLimits;

  /**
   * @param onWait called before each wait, with the limit
   * @param onShared called once for a limit that another client uses, too
   */
  constructor(onWait: (seconds: number, limit: string) => void, onShared: (limit: string) => void = () => undefined) {
    this.#onWait = onWait;
    this.#shared = new SharedLimits(onShared);
  }

  /** How many requests are left of a limit, as far as it is known. */
  leftOf(limit: string): number {
    const left = this.#left.get(limit);
    return left && left.until > Date.now() ? left.requests - (this.#inFlight.get(limit) ?? 0) : Infinity;
  }

  /** For how many seconds nothing is left of a limit. */
  secondsUsedUp(limit: string): number {
    const left = this.#left.get(limit);
    return left && this.leftOf(limit) <= 0 ? Math.ceil((left.until - Date.now()) / 1000) : 0;
  }

  /** Waits until a request that counts against this limit has a place in its window. */
  async beforeRequest(limit: string, signal?: AbortSignal): Promise<void> {
    const seconds = this.secondsUsedUp(limit);
    if (seconds > 0) await this.wait(limit, seconds, signal);
  }

  /** Takes note of a request that is sent. */
  onSending(limit: string): void {
    this.#count(limit, 1);
    this.#shared.sent(limit);
  }

  /** Takes note of what a response says is left, or that there is none. */
  afterResponse(limit: string, response: HttpResponse | undefined): void {
    this.#count(limit, -1);
    const stated = response && limitStatedBy(response);
    if (!stated && response?.status === 429) this.onUsedUp(limit, Number(response.headers['retry-after']));
    if (!stated) return;
    this.#shared.stated(limit, stated, this.#inFlight.get(limit) ?? 0);
    this.#left.set(limit, { requests: stated.left, until: Date.now() + stated.seconds * 1000 });
  }

  /** Takes note of a limit of which nothing is left for a time. */
  onUsedUp(limit: string, seconds: number): void {
    if (seconds >= 1) this.#left.set(limit, { requests: 0, until: Date.now() + seconds * 1000 });
  }

  /**
   * Waits for a limit as the target asks, until the run is stopped at the latest.
   * @throws {LongWaitError} if the target asks for more than {@link longestWaitSeconds}
   */
  async wait(limit: string, seconds: number, signal?: AbortSignal): Promise<void> {
    if (seconds > longestWaitSeconds)
      throw new LongWaitError(`the target asks to wait ${seconds} s; the suite waits ${longestWaitSeconds} s at most`);
    this.#onWait(seconds, limit);
    await sleep(seconds * 1000, undefined, signal && { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }

  #count(limit: string, change: 1 | -1): void {
    this.#inFlight.set(limit, Math.max(0, (this.#inFlight.get(limit) ?? 0) + change));
  }
}
