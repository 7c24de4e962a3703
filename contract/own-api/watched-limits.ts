import type { HttpResponse, Violation } from '../oracle/messages.ts';
import { limitStatedBy } from '../run/limits.ts';

/** What is known of the current window of a limit, from the responses so far. */
interface Window {
  /** The least that a response has stated to be left. */
  left: number;
  /** Between which times the window ends, on the clock of the suite: a response states whole seconds, rounded up. */
  endsAfter: number;
  endsBefore: number;
}

/** A server may state the seconds of a moment that lies a little before or after its response. */
const toleratedMilliseconds = 1000;

/**
 * Watches the limit of each credential through all requests of a run (D32 and D186): within a window, a request lowers what
 * is left, and the window ends at a fixed time. That less is left than the suite has sent is allowed, as somebody else may
 * use the credential, too; so is anything that the order of responses, their delays or the end of a window may explain.
 */
export class WatchedLimits {
  readonly #windows = new Map<string, Window>();

  /**
   * Takes note of a request as it is sent.
   * @param limit what it counts against; undefined if that is not known
   * @param now milliseconds on a clock that never goes back
   * @returns what is to be called with its response, and returns violations
   */
  sending(
    limit: string | undefined,
    now = () => performance.now(),
  ): (response: HttpResponse | undefined) => Violation[] {
    const sentAt = now();
    // Responses that come while this request is in flight do not tell whether the server has counted it before them.
    const known = limit === undefined ? undefined : this.#windows.get(limit);
    const least = known?.left ?? Infinity;
    return (response) => {
      if (limit === undefined || !response) return [];
      // A server that fails may have lost its counts.
      if (response.status >= 500) this.#windows.delete(limit);
      const stated = limitStatedBy(response);
      // A refusal may be due to another limit, such as that of a gateway.
      if (response.status >= 500 || response.status === 429 || stated?.name !== 'credential') return [];
      const ends = {
        endsAfter: sentAt + (stated.seconds - 1) * 1000 - toleratedMilliseconds,
        endsBefore: now() + stated.seconds * 1000 + toleratedMilliseconds,
      };
      const current = this.#windows.get(limit);
      if (!current || sentAt >= current.endsBefore) {
        this.#windows.set(limit, { left: stated.left, ...ends });
        return [];
      }
      if (current !== known || now() >= current.endsAfter) return [];
      const message = faultOf({ ...stated, status: response.status }, least, current, ends);
      if (message !== undefined) {
        this.#windows.delete(limit);
        return [{ rule: 'own rule', promise: 'remainder', message }];
      }
      current.left = Math.min(current.left, stated.left);
      current.endsAfter = Math.max(current.endsAfter, ends.endsAfter);
      current.endsBefore = Math.min(current.endsBefore, ends.endsBefore);
      return [];
    };
  }
}

function faultOf(
  { status, left, seconds }: { status: number; left: number; seconds: number },
  least: number,
  current: Window,
  ends: Omit<Window, 'left'>,
): string | undefined {
  if (left >= least)
    return `expected ${least > 0 ? `RateLimit with less than r=${least}` : '429'}, got ${status} with r=${left}`;
  const isMoved = ends.endsAfter > current.endsBefore || ends.endsBefore < current.endsAfter;
  return isMoved
    ? `expected RateLimit with the end of the window that earlier responses state, got t=${seconds}`
    : undefined;
}
