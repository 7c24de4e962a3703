import type { HttpResponse } from '../run/model.ts';
import { limitStatedBy } from '../run/rate-limit-fields.ts';
import { expectThat, shown } from './expect.ts';

/** The limit that a response states; fails if it states none. */
export function statedLimit(response: HttpResponse): { left: number; seconds: number } {
  const stated = limitStatedBy(response);
  expectThat(stated !== undefined, 'the remainder of the limit in RateLimit', shown(response.headers['ratelimit']));
  return stated ?? { left: 0, seconds: 0 };
}
