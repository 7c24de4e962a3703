import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse, RequestSpec } from './model.ts';

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
 * wait for the next window when nothing is left.
 */
export class Pacing {
  readonly #known: ReadonlySet<string>;
  readonly #left = new Map<string, Left>();
  /** Requests that have been sent and have no response yet. */
  readonly #inFlight = new Map<string, number>();
  readonly #onWait: (seconds: number) => void;

  /** Credentials that are known count for themselves; all others count against the address. */
  constructor(known: Iterable<string>, onWait: (seconds: number) => void) {
    this.#known = new Set(known);
    this.#onWait = onWait;
  }

  /** How many requests are left of a limit, as far as it is known: of that of a credential, or of {@link addressLimit}. */
  leftOf(limit: string): number {
    const left = this.#left.get(limit);
    return left && left.until > Date.now() ? left.requests - (this.#inFlight.get(limit) ?? 0) : Infinity;
  }

  /** Waits until this request has a place in its window. @param from the address that it is sent from, if it is chosen */
  async beforeRequest(request: RequestSpec, signal?: AbortSignal, isPublic = false, from?: string): Promise<void> {
    const limit = this.#limitOf(request, isPublic, from);
    const left = this.#left.get(limit);
    if (left && this.leftOf(limit) <= 0) await this.wait(Math.ceil((left.until - Date.now()) / 1000), signal);
    this.#count(limit, 1);
  }

  /** Takes note of what a response says is left, or that there is none. */
  afterResponse(request: RequestSpec, response: HttpResponse | undefined, isPublic = false, from?: string): void {
    const limit = this.#limitOf(request, isPublic, from);
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

  /** Public operations have a limit of their own, by address. */
  #limitOf({ headers = [] }: RequestSpec, isPublic: boolean, from?: string): string {
    if (isPublic) return `public ${addressLimit(from)}`;
    const credentials = headers
      .filter(([name]) => /^(x-api-key|authorization)$/i.test(name))
      .map(([, value]) => value.replace(/^Bearer /, ''));
    const [credential] = credentials;
    const isKnown = credentials.length === 1 && credential !== undefined && this.#known.has(credential);
    return isKnown ? credential : addressLimit(from);
  }
}

/** The limit of what is sent from an address of this machine without a known credential. */
export function addressLimit(from: string | undefined): string {
  return `address ${from ?? ''}`;
}
