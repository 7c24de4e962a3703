/** Signals that end a service only after its work is done. */
export interface StopSignal {
  /** Resolves at the first signal, even if the signal arrived before the promise was awaited. */
  readonly given: Promise<void>;
  /** Restores the default handling of Node.js. */
  release(): void;
}

/**
 * Handles signals: from now on none of them ends the process by itself, even if repeated. Some senders repeat signals,
 * as npm does with those of a terminal, and the second one must not cut off requests that may finish after the first.
 */
export function takeStopSignals(signals: readonly NodeJS.Signals[]): StopSignal {
  let give: () => void;
  const given = new Promise<void>((resolve) => (give = resolve));
  const listener = (): void => {
    give();
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    given,
    release: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
