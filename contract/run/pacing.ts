import { setTimeout as sleep } from 'node:timers/promises';
import { LongWaitError } from './errors.ts';
import type { Credentials, HttpResponse, Progress } from './model.ts';
import { secretsOf } from './mask.ts';

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

/** A quoted name with parameters that are whole numbers, in any order. */
function itemOf(value: string | undefined): { name: string; parameters: ReadonlyMap<string, number> } | undefined {
  const [, name, rest = ''] = /^ *"([^"]+)"((?: *; *[a-z*][\w.*-]*=\d+)*) *$/.exec(value ?? '') ?? [];
  if (name === undefined) return undefined;
  const pairs = [...rest.matchAll(/; *([\w.*-]+)=(\d+)/g)];
  return { name, parameters: new Map(pairs.map(([, key = '', number]) => [key, Number(number)])) };
}

/** What the field RateLimit of a response says of the limit that counted. */
export function limitStatedBy({
  headers,
}: Pick<HttpResponse, 'headers'>): { name: string; left: number; seconds: number } | undefined {
  const item = itemOf(headers['ratelimit']);
  const [left, seconds] = [item?.parameters.get('r'), item?.parameters.get('t')];
  return item && left !== undefined && seconds !== undefined ? { name: item.name, left, seconds } : undefined;
}

/** What the field RateLimit-Policy of a response says of that limit. */
export function policyStatedBy({
  headers,
}: Pick<HttpResponse, 'headers'>): { name: string; quota: number; windowSeconds: number } | undefined {
  const item = itemOf(headers['ratelimit-policy']);
  const [quota, windowSeconds] = [item?.parameters.get('q'), item?.parameters.get('w')];
  return item && quota !== undefined && windowSeconds !== undefined
    ? { name: item.name, quota, windowSeconds }
    : undefined;
}

/** Shorter waits for a rate limit are not worth a line. */
const noticedWaitSeconds = 5;

/** The pacing of a run that reports its waits, and the credentials that another client uses at the same time. */
export interface AnnouncedLimits {
  readonly pacing: Pacing;
  readonly shared: readonly string[];
}

/** Limits by the names of the credentials that they belong to. */
export function announcedLimits(credentials: Credentials, { onNotice }: Pick<Progress, 'onNotice'>): AnnouncedLimits {
  const nameOf = (limit: string) => secretsOf(credentials).find(([, secret]) => secret === limit)?.[0];
  const shared: string[] = [];
  const pacing = new Pacing(
    (seconds, limit) => {
      const of = nameOf(limit) ?? 'failed authentications';
      if (seconds >= noticedWaitSeconds) onNotice(`waiting ${seconds} s for the target's rate limit of ${of}`);
    },
    (limit) => {
      const name = nameOf(limit);
      if (name === undefined || shared.includes(name)) return;
      shared.push(name);
      if (shared.length === 1) onNotice(sharedBy(shared));
    },
  );
  return { pacing, shared };
}

export function sharedBy(names: readonly string[]): string {
  return `somebody else uses ${names.join(', ')} meanwhile; two runs on one organisation disturb each other`;
}

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
