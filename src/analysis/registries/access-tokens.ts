/** An access token and its lifetime. */
export interface AccessToken {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

/** A new token is requested so long before the old one expires, or after half of its life if that is short. */
const renewedBeforeSeconds = 60;
const longestLifeSeconds = 24 * 60 * 60;

/**
 * Keeps one access token until shortly before it expires. Whoever asks while a new one is requested waits for that request. It
 * goes by a clock that nobody can set.
 */
export class AccessTokens {
  #pending: Promise<string> | undefined;
  #current = '';
  #renewAt = -Infinity;

  /** The token to send now, which is requested if there is none. @throws what the request does */
  async get(request: () => Promise<AccessToken>): Promise<string> {
    if (performance.now() < this.#renewAt) return this.#current;
    this.#pending ??= this.#renew(request).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  /** Forgets a token that was refused; a newer one is kept. */
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
