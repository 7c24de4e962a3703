import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from './model.ts';

const rateLimit = /^"([^"]+)";r=(\d+);t=(\d+)/;

/** The longest time that the suite lets a target make it wait, for a rate limit or a `Retry-After`. */
export const longestWaitSeconds = 120;

/** The requests left of a limit, and when it is renewed. */
interface Left {
  readonly requests: number;
  readonly until: number;
}

/**
 * Keeps the suite within the target's limits: it remembers what each response's `RateLimit` header left, and lets a request
 * wait for the next window when nothing is left. Which limit a request counts against, the caller says.
 */
export class Pacing {
  readonly #left = new Map<string, Left>();
  /** Requests that have been sent and have no response yet. */
  readonly #inFlight = new Map<string, number>();
  readonly #onWait: (seconds: number) => void;

  /** @param onWait is told of each wait before it */
  constructor(onWait: (seconds: number) => void) {
    this.#onWait = onWait;
  }

  /** How many requests are left of a limit, as far as it is known. */
  leftOf(limit: string): number {
    const left = this.#left.get(limit);
    return left && left.until > Date.now() ? left.requests - (this.#inFlight.get(limit) ?? 0) : Infinity;
  }

  /** Waits until a request that counts against this limit has a place in its window. */
  async beforeRequest(limit: string, signal?: AbortSignal): Promise<void> {
    const left = this.#left.get(limit);
    if (left && this.leftOf(limit) <= 0) await this.wait(Math.ceil((left.until - Date.now()) / 1000), signal);
    this.#count(limit, 1);
  }

  /** Takes note of what a response says is left, or that there is none. */
  afterResponse(limit: string, response: HttpResponse | undefined): void {
    this.#count(limit, -1);
    const [, , requests, seconds] = rateLimit.exec(response?.headers['ratelimit'] ?? '') ?? [];
    if (requests === undefined) return;
    this.#left.set(limit, { requests: Number(requests), until: Date.now() + Number(seconds) * 1000 });
  }

  /**
   * Waits as the target asks, until the run is stopped at the latest.
   * @throws {Error} if the target asks for more than {@link longestWaitSeconds}
   */
  async wait(seconds: number, signal?: AbortSignal): Promise<void> {
    if (seconds > longestWaitSeconds)
      throw new Error(`the target asks to wait ${seconds} s; the suite waits ${longestWaitSeconds} s at most`);
    this.#onWait(seconds);
    await sleep(seconds * 1000, undefined, signal && { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }

  #count(limit: string, change: 1 | -1): void {
    this.#inFlight.set(limit, Math.max(0, (this.#inFlight.get(limit) ?? 0) + change));
  }
}
