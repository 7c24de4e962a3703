import type { SessionOptions } from '../run/session.ts';

export interface ReplayOptions extends SessionOptions {
  /** Runs Dredd unmodified, which accepts a response that has the fields of an example. */
  readonly stock?: boolean;
}
