import type { SessionOptions } from '../run/session.ts';

export interface ReplayOptions extends SessionOptions {
  /** Leaves Dredd as it comes, which takes a response for right if it has the fields of an example. */
  readonly stock?: boolean;
}
