/** An access token and its lifetime. */
export interface AccessToken {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

/** How long before a token expires a new one is requested; a short-lived token is renewed after half of its life. */
const renewedBeforeSeconds = 60;
const longestLifeSeconds = 24 * 60 * 60;

/**
 * Keeps one access token until shortly before it expires. Callers that need a new one share its request. Uses a
 * monotonic clock, so that setting the system time has no effect.
 */
export class AccessTokens {
  #pending: Promise<string> | undefined;
  #current = '';
  #renewAt = -Infinity;

  /** The current token, requested if there is none. @throws what the request throws */
  async get(request: () => Promise<AccessToken>): Promise<string> {
    if (performance.now() < this.#renewAt) return this.#current;
    this.#pending ??= this.#renew(request).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  /** Forgets a token that was refused, unless a newer one has replaced it. */
  discard(token: string): void {
    if (token === this.#current) this.#renewAt = -Infinity;
  }

  async #renew(request: () => Promise<AccessToken>): Promise<string> {
    const { token, lifetimeSeconds } = await request();
    const life = Math.min(lifetimeSeconds, longestLifeSeconds);
    this.#renewAt = performance.now() + Math.max(life - renewedBeforeSeconds, life / 2) * 1000;
    return (this.#current = token);
  }
}
