/** The bounds of the work: the signal aborts at the deadline, or when the caller aborts. */
export interface Bounds {
  readonly signal: AbortSignal;
  /** The deadline on the clock of `performance.now()`. */
  readonly deadline: number;
}

/**
 * Runs the work until it is done, its time is over or the caller aborts, even if it ignores its signal.
 * @throws the caller's reason, unchanged, or `timeout`
 */
export async function withDeadline<T>(
  { seconds, timeout, caller }: { seconds: number; timeout: Error; caller: AbortSignal | undefined },
  work: (bounds: Bounds) => Promise<T>,
): Promise<T> {
  caller?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      // oxlint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's reason may be anything
      reject(signal.reason);
    });
  });
  const follow = () => {
    controller.abort(caller?.reason);
  };
  caller?.addEventListener('abort', follow);
  const timer = setTimeout(() => {
    controller.abort(timeout);
  }, seconds * 1000);
  try {
    return await Promise.race([work({ signal, deadline: performance.now() + seconds * 1000 }), ended]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', follow);
  }
}
