/** What workers and their primary process tell each other to count requests, many of them in one message. */
import type { RateLimit, RateLimitCount } from './rate-limit-store.ts';

const countType = 'document-analysis:count';
const countedType = 'document-analysis:counted';

/** From a worker: count a request for each of these keys, in their order. */
export interface CountMessage {
  readonly type: typeof countType;
  /** Which question of its worker this is. */
  readonly id: number;
  readonly limit: RateLimit;
  readonly keys: readonly string[];
}

/** From the primary: where these requests stand, in the order of the keys. */
export interface CountedMessage {
  readonly type: typeof countedType;
  readonly id: number;
  readonly counts: readonly RateLimitCount[];
}

export function countMessage(id: number, limit: RateLimit, keys: readonly string[]): CountMessage {
  return { type: countType, id, limit, keys };
}

export function countedMessage(id: number, counts: readonly RateLimitCount[]): CountedMessage {
  return { type: countedType, id, counts };
}

export function isCountMessage(message: unknown): message is CountMessage {
  return (message as { type?: unknown } | null)?.type === countType;
}

export function isCountedMessage(message: unknown): message is CountedMessage {
  return (message as { type?: unknown } | null)?.type === countedType;
}
