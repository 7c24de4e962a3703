/**
 * The values that a reading of the verification setting may return, even while updates are in flight: a value that was
 * being saved meanwhile, or the last one saved before. A correct server is never reported, whatever the delays and the
 * order of responses. If the setting changes by itself, or an update takes effect late, any later reading shows it.
 */
interface Update {
  /** Undefined if it is uncertain which value was saved. */
  readonly value: boolean | undefined;
  readonly sentAt: number;
  endedAt: number;
  /** Whether it was certainly saved. */
  saved: boolean;
}

/** An update in flight. */
export interface UpdateInFlight {
  /** @param outcome what the response shows: saved, refused, or unknown */
  end(outcome: 'saved' | 'refused' | 'unknown', at: number): void;
}

/** The updates of one setting, timed by the clock of the clients. */
export class SettingHistory {
  #updates: Update[] = [];
  #first: boolean | undefined;

  /** @param value undefined if it cannot be read from the request */
  updating(value: boolean | undefined, sentAt: number): UpdateInFlight {
    const update: Update = { value, sentAt, endedAt: Infinity, saved: false };
    this.#updates.push(update);
    return {
      end: (outcome, at) => {
        update.endedAt = at;
        update.saved = outcome === 'saved';
        if (outcome === 'refused') this.#updates = this.#updates.filter((each) => each !== update);
      },
    };
  }

  /** Whether a reading may have returned this value. The first reading determines the initial value. */
  readable(value: boolean, sentAt: number, endedAt: number): boolean {
    const before = this.#updates.filter((update) => update.saved && update.endedAt < sentAt);
    // Updates that ended before the last of these began were overwritten.
    const overwrittenBefore = Math.max(-Infinity, ...before.map((update) => update.sentAt));
    const seen = this.#updates.filter((update) => update.sentAt < endedAt && update.endedAt >= overwrittenBefore);
    if (seen.some((update) => update.value === undefined || update.value === value)) return true;
    if (before.length > 0) return false;
    if (seen.length === 0) this.#first ??= value;
    return this.#first === undefined || this.#first === value;
  }
}
