import type { HttpResponse, Violation } from '../oracle/messages.ts';
import { limitStatedBy } from '../run/limits.ts';

/** What is known of the current window of a limit, from the responses that have come so far. */
interface Window {
  /** The least that a response has stated to be left. */
  left: number;
  /** Between which times of the suite's clock the window ends: a response states whole seconds, rounded up. */
  endsAfter: number;
  endsBefore: number;
}

/** A server may state the seconds of a moment that lies a little before or after its response. */
const toleratedMilliseconds = 1000;

/**
 * Watches each limit through all requests of a run (D31, D32 and D186): within a window, a request lowers what is left, and
 * the window ends at a fixed time. That less is left than the suite has sent is no fault, as somebody else may send, too; nor is
 * anything that the order of responses, their delays or the end of a window may explain.
 */
export class WatchedLimits {
  readonly #windows = new Map<string, Window>();

  /**
   * Takes note of a request as it is sent.
   * @param limit what it counts against; undefined if nobody knows
   * @returns a function that takes its response, and returns violations
   */
  sending(limit: string | undefined, now: () => number = () => performance.now()) {
    const sentAt = now();
    // Responses that come while this request is in flight say nothing of when the server has counted it.
    const before = limit === undefined ? undefined : this.#windows.get(limit);
    const least = before?.left ?? Infinity;
    return (response: HttpResponse | undefined): Violation[] => {
      if (limit === undefined || !response) return [];
      // A server that fails may have lost its counts.
      if (response.status >= 500) this.#windows.delete(limit);
      const stated = response.status < 500 ? limitStatedBy(response) : undefined;
      if (!stated) return [];
      const [endsAfter, endsBefore] = [
        sentAt + (stated.seconds - 1) * 1000 - toleratedMilliseconds,
        now() + stated.seconds * 1000 + toleratedMilliseconds,
      ];
      const known = this.#windows.get(limit);
      const isSame = known !== undefined && known === before && now() < known.endsAfter;
      if (!isSame) {
        if (!known || sentAt >= known.endsBefore || endsAfter > known.endsBefore)
          this.#windows.set(limit, { left: stated.left, endsAfter, endsBefore });
        return [];
      }
      const message = faultOf(stated, least, { known, endsAfter, endsBefore });
      if (message !== undefined) {
        this.#windows.delete(limit);
        return [{ rule: 'remainder', promise: 'remainder', message }];
      }
      known.left = Math.min(known.left, stated.left);
      known.endsAfter = Math.max(known.endsAfter, endsAfter);
      known.endsBefore = Math.min(known.endsBefore, endsBefore);
      return [];
    };
  }
}

function faultOf(
  { left, seconds }: { left: number; seconds: number },
  least: number,
  { known, endsAfter, endsBefore }: { known: Window; endsAfter: number; endsBefore: number },
): string | undefined {
  if (left >= least && left > 0) return `expected less than r=${least}, which was left before this request, got r=${left}`;
  const isMoved = endsAfter > known.endsBefore || endsBefore < known.endsAfter;
  return isMoved ? `expected a window that ends when earlier responses have said, got t=${seconds}` : undefined;
}
