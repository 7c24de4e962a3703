import type { limitStatedBy } from './rate-limit-fields.ts';

type Stated = NonNullable<ReturnType<typeof limitStatedBy>>;

/** More than a target may count twice, or a connection that breaks may send again. */
const noticed = 10;
const roundedMilliseconds = 1500;

interface Window {
  readonly left: number;
  readonly endsAt: number;
  /** How many requests the suite has sent since then, and those whose responses had not come. */
  sent: number;
}

/** Detects that another client uses a credential: its limit has fallen by more than the suite has sent. */
export class SharedLimits {
  readonly #windows = new Map<string, Window>();
  readonly #shared = new Set<string>();
  readonly #onShared: (limit: string) => void;

  constructor(onShared: (limit: string) => void) {
    this.#onShared = onShared;
  }

  sent(limit: string): void {
    const window = this.#windows.get(limit);
    if (window) window.sent += 1;
  }

  /** @param inFlight how many requests have no response yet */
  stated(limit: string, { left, seconds }: Stated, inFlight: number): void {
    const endsAt = Date.now() + seconds * 1000;
    const window = this.#windows.get(limit);
    if (!window || left > window.left || Math.abs(endsAt - window.endsAt) > roundedMilliseconds) {
      this.#windows.set(limit, { left, endsAt, sent: inFlight });
      return;
    }
    if (window.left - left - window.sent < noticed || this.#shared.has(limit)) return;
    this.#shared.add(limit);
    this.#onShared(limit);
  }
}
