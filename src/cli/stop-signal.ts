/** Signals that end a service only when its work is done. */
export interface StopSignal {
  /** Resolves at the first of the signals, also if that came before anybody waited for it. */
  readonly given: Promise<void>;
  /** Gives the signals back to Node.js. */
  release(): void;
}

/**
 * Takes signals over: from now on none of them ends the process by itself, however often it comes. Some senders repeat
 * theirs, as npm does with that of a terminal, and a second one must not cut the requests that the first one let finish.
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
