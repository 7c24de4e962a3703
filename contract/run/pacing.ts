import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse, RequestSpec } from './model.ts';

const rateLimit = /^"([^"]+)";r=(\d+);t=(\d+)/;

/** The longest time that the suite lets a target make it wait, for a rate limit or a `Retry-After`. */
export const longestWaitSeconds = 120;

/**
 * Keeps the suite within the target's limits: it remembers what each response's `RateLimit` header left, and lets a request
 * wait for the next window when nothing is left.
 */
export class Pacing {
  readonly #known: ReadonlySet<string>;
  readonly #left = new Map<string, { requests: number; until: number }>();
  readonly #onWait: (seconds: number) => void;

  /** Credentials that are known count for themselves; all others count against the address. */
  constructor(known: Iterable<string>, onWait: (seconds: number) => void) {
    this.#known = new Set(known);
    this.#onWait = onWait;
  }

  /** Waits until this request has a place in its window. */
  async beforeRequest(request: RequestSpec, signal?: AbortSignal, isPublic = false): Promise<void> {
    const left = this.#left.get(this.#bucketOf(request, isPublic));
    if (!left || left.requests > 0 || left.until <= Date.now()) return;
    await this.wait(Math.ceil((left.until - Date.now()) / 1000), signal);
  }

  /** Takes note of what a response says is left. */
  afterResponse(request: RequestSpec, response: HttpResponse, isPublic = false): void {
    const [, , requests, seconds] = rateLimit.exec(response.headers['ratelimit'] ?? '') ?? [];
    if (requests === undefined) return;
    this.#left.set(this.#bucketOf(request, isPublic), {
      requests: Number(requests),
      until: Date.now() + Number(seconds) * 1000,
    });
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

  /** Public operations have a limit of their own, by address. */
  #bucketOf({ headers = [] }: RequestSpec, isPublic: boolean): string {
    if (isPublic) return 'public';
    const credentials = headers
      .filter(([name]) => /^(x-api-key|authorization)$/i.test(name))
      .map(([, value]) => value.replace(/^Bearer /, ''));
    const [credential] = credentials;
    return credentials.length === 1 && credential !== undefined && this.#known.has(credential) ? credential : 'address';
  }
}
