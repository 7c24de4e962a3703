/** Which limit of the target a request counts against, what is left of it, and when it is renewed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limitOf } from '../oracle/expected.ts';
import type { Violation } from '../oracle/messages.ts';
import type { World } from '../oracle/world.ts';
import { LongWaitError } from './errors.ts';
import { namesOf } from './mask.ts';
import type { Credentials, HttpResponse, Progress, RequestSpec } from './model.ts';

/** The longest time that the suite lets a target make it wait, for a rate limit or a `Retry-After`. */
export const longestWaitSeconds = 120;

/** Shorter waits for a rate limit are not worth a line. */
const noticedWaitSeconds = 5;

/** The limit that a request counts against: that of a valid credential, or else of the address that it is sent from. */
export function limitFrom(from: string | undefined, request: RequestSpec, world: World): string {
  const limit = limitOf(request, world);
  if (limit === 'public') return publicLimit(from);
  return limit === 'address' ? addressLimit(from) : limit;
}

export function addressLimit(from: string | undefined): string {
  return `address ${from ?? ''}`;
}

export function publicLimit(from: string | undefined): string {
  return `public ${addressLimit(from)}`;
}

/** A quoted name with parameters that are whole numbers, in any order. */
function itemOf(value = ''): [name: string, parameters: Readonly<Record<string, number>>] {
  const [, name = '', rest = ''] = /^ *"([^"]+)"((?: *; *[a-z*][\w.*-]*=\d+)*) *$/.exec(value) ?? [];
  const pairs = [...rest.matchAll(/; *([\w.*-]+)=(\d+)/g)].map(
    ([, key = '', number]) => [key, Number(number)] as const,
  );
  return [name, Object.fromEntries(pairs)];
}

/** What the header RateLimit of a response states of the limit that counted. */
export function limitStatedBy({ headers }: Pick<HttpResponse, 'headers'>) {
  const [name, { r: left, t: seconds }] = itemOf(headers['ratelimit']);
  return left === undefined || seconds === undefined ? undefined : { name, left, seconds };
}

/** What the header RateLimit-Policy of a response states of that limit. */
export function policyStatedBy({ headers }: Pick<HttpResponse, 'headers'>) {
  const [name, { q: quota, w: windowSeconds }] = itemOf(headers['ratelimit-policy']);
  return quota === undefined || windowSeconds === undefined ? undefined : { name, quota, windowSeconds };
}

/** What is known of the current window of a limit, from the responses so far. */
interface Window {
  /** The least that a response has stated to be left. */
  left: number;
  /** Between which times the window ends, on the clock of the suite: a response states whole seconds, rounded up. */
  endsAfter: number;
  endsBefore: number;
}

/** Requests of a credential that are not watched: those in the same bytes as another one, or sent again. */
const toleratedRequests = 10;

/** A server may state the seconds of a moment that lies a little before or after its response. */
export const toleratedMilliseconds = 1000;

/**
 * Watches the limit of each credential (D32 and D186): it falls with each request, and its window ends at a fixed time. Less may be left than the suite has sent, as somebody else may use the credential, too;
 * and anything is allowed that the order of responses, their delays or the end of a window may explain.
 * @param dedicated limits that nobody but the suite uses: once a window has passed since the run began, the next one is whole
 * @returns a function to call as a request is sent, with what it counts against if that is known, and a monotonic clock
 */
export function watchedLimits(dedicated: ReadonlySet<string> = new Set(), startedAt = performance.now()) {
  const windows = new Map<string, Window>();
  const firsts = new Map<string, { readonly at: number; sent: number; isSeen: boolean }>();
  return (limit: string | undefined, now = () => performance.now()) => {
    const sentAt = now();
    const first = firsts.get(limit ?? '') ?? { at: sentAt, sent: 0, isSeen: false };
    first.sent += 1;
    if (limit !== undefined) firsts.set(limit, first);
    // Responses that come while this request is in flight do not tell whether the server has counted it before them.
    const known = limit === undefined ? undefined : windows.get(limit);
    const least = known?.left ?? Infinity;
    return (response: HttpResponse): Violation[] => {
      if (limit === undefined) return [];
      const isFirst = dedicated.has(limit) && !first.isSeen;
      first.isSeen = true;
      // A server that fails may have lost its counts.
      if (response.status >= 500) windows.delete(limit);
      const stated = limitStatedBy(response);
      // A refusal may be due to another limit, such as that of a gateway.
      if (response.status >= 500 || response.status === 429 || stated?.name !== 'credential') return [];
      const { left, seconds } = stated;
      const endsAfter = sentAt + (seconds - 1) * 1000 - toleratedMilliseconds;
      const endsBefore = now() + seconds * 1000 + toleratedMilliseconds;
      const current = windows.get(limit);
      if (!current || sentAt >= current.endsBefore) {
        windows.set(limit, { left, endsAfter, endsBefore });
        const policy = isFirst ? policyStatedBy(response) : undefined;
        const hasPassed = policy && first.at - startedAt > policy.windowSeconds * 1000 + toleratedMilliseconds;
        if (!policy || !hasPassed) return [];
        // The window began with the first of the requests that are in flight.
        const least = policy.quota - first.sent - toleratedRequests;
        const earliest = policy.windowSeconds - (now() - first.at + toleratedMilliseconds) / 1000;
        if (left >= least && seconds >= earliest) return [];
        const promised = `a whole quota before the first request, so at least r=${least} and t=${Math.ceil(earliest)}`;
        return [{ rule: 'remainder', message: `expected ${promised}, got r=${left} and t=${seconds}` }];
      }
      if (current !== known || now() >= current.endsAfter) return [];
      const broken = (promised: string, came: string): Violation[] => {
        windows.delete(limit);
        return [{ rule: 'remainder', message: `expected ${promised}, got ${came}` }];
      };
      if (left >= least)
        return broken(least > 0 ? `RateLimit with less than r=${least}` : '429', `${response.status} with r=${left}`);
      if (endsAfter > current.endsBefore || endsBefore < current.endsAfter)
        return broken('RateLimit with the end of the window that earlier responses state', `t=${seconds}`);
      Object.assign(current, {
        left: Math.min(current.left, left),
        endsAfter: Math.max(current.endsAfter, endsAfter),
        endsBefore: Math.min(current.endsBefore, endsBefore),
      });
      return [];
    };
  };
}

interface Known {
  left: number;
  until: number;
  /** Requests that have no response yet. */
  inFlight: number;
}

/** Remembers what the `RateLimit` header of each response left; if nothing, a request waits for the next window. */
export class Pacing {
  readonly #limits = new Map<string, Known>();
  readonly #onWait: (seconds: number, limit: string) => void;
  readonly #requestsPerSecond: number;
  #nextAt = 0;

  /**
   * @param onWait called before each wait, with the limit
   * @param requestsPerSecond how many requests are sent a second at most, of all limits together
   */
  constructor(onWait: (seconds: number, limit: string) => void, requestsPerSecond = Infinity) {
    this.#onWait = onWait;
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** How many requests are left of a limit, as far as it is known. */
  leftOf(limit: string): number {
    const { until, left, inFlight } = this.#known(limit);
    return until > Date.now() ? left - inFlight : Infinity;
  }

  /** For how many seconds nothing is left of a limit. */
  secondsUsedUp(limit: string): number {
    return this.leftOf(limit) <= 0 ? Math.ceil((this.#known(limit).until - Date.now()) / 1000) : 0;
  }

  /** Spaces requests evenly, at the rate that the run has been given. @param requests how many are sent at once */
  async spaceOut(requests: number, signal?: AbortSignal): Promise<void> {
    const now = performance.now();
    const startsAt = Math.max(now, this.#nextAt);
    this.#nextAt = startsAt + (requests * 1000) / this.#requestsPerSecond;
    if (startsAt > now) await sleepUntilStopped(startsAt - now, signal);
  }

  onSending(limit: string): void {
    this.#known(limit).inFlight += 1;
  }

  /** Takes note of what a response states is left, or that there is none. */
  afterResponse(limit: string, response: HttpResponse | undefined): void {
    const known = this.#known(limit);
    known.inFlight = Math.max(0, known.inFlight - 1);
    const stated = response && limitStatedBy(response);
    if (stated) Object.assign(known, { left: stated.left, until: Date.now() + stated.seconds * 1000 });
    else if (response?.status === 429) this.onUsedUp(limit, Number(response.headers['retry-after']));
  }

  /** Takes note of a limit of which nothing is left for a time. */
  onUsedUp(limit: string, seconds: number): void {
    if (seconds >= 1) Object.assign(this.#known(limit), { left: 0, until: Date.now() + seconds * 1000 });
  }

  /**
   * Waits for a limit as the target asks, until the run is stopped at the latest.
   * @throws {LongWaitError} if the target asks for more than {@link longestWaitSeconds}
   */
  async wait(limit: string, seconds: number, signal?: AbortSignal): Promise<void> {
    if (seconds > longestWaitSeconds)
      throw new LongWaitError(`the target asks to wait ${seconds} s; the suite waits ${longestWaitSeconds} s at most`);
    this.#onWait(seconds, limit);
    await sleepUntilStopped(seconds * 1000, signal);
  }

  #known(limit: string): Known {
    const known = this.#limits.get(limit) ?? { left: Infinity, until: 0, inFlight: 0 };
    this.#limits.set(limit, known);
    return known;
  }
}

/** Sleeps; throws the reason of the signal if that is aborted meanwhile. */
async function sleepUntilStopped(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal && { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/** The pacing of a run that reports its waits. */
export function pacingOf(
  credentials: Credentials,
  { onNotice }: Pick<Progress, 'onNotice'>,
  requestsPerSecond?: number,
): Pacing {
  const names = namesOf(credentials);
  // Requests that wait at the same time, also from several addresses, are one notice.
  const noticedUntil = new Map<string, number>();
  return new Pacing((seconds, limit) => {
    const of = names.get(limit) ?? (limit.startsWith('public') ? 'public requests' : 'failed authentications');
    if (seconds < noticedWaitSeconds || Date.now() < (noticedUntil.get(of) ?? 0)) return;
    noticedUntil.set(of, Date.now() + seconds * 1000);
    onNotice(`waiting ${seconds} s for the target's rate limit of ${of}`);
  }, requestsPerSecond);
}
