/**
 * What a reading of the verification setting may return, also while updates are in flight: a value that was being saved
 * meanwhile, or the one that was saved last before it. Whoever is slow, and in whichever order responses come, no server that
 * keeps its setting is judged wrongly; one whose setting moves by itself, or is seen late, is found by any later reading.
 */
interface Update {
  /** Undefined if nobody can tell which value was saved. */
  readonly value: boolean | undefined;
  readonly sentAt: number;
  endedAt: number;
  /** Whether it was saved for certain. */
  saved: boolean;
}

/** An update in flight. */
export interface UpdateInFlight {
  /** @param outcome what the response says: it was saved, refused, or nobody knows */
  end(outcome: 'saved' | 'refused' | 'unknown', at: number): void;
}

/** The updates of one setting, by the clock of those who send them. */
export class SettingHistory {
  #updates: Update[] = [];
  #first: boolean | undefined;

  /** @param value undefined if the request does not show it */
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

  /** The values that a reading may have returned. The very first reading shows what the setting was before. */
  readable(value: boolean, sentAt: number, endedAt: number): boolean {
    const before = this.#updates.filter((update) => update.saved && update.endedAt < sentAt);
    // What ended before the last of these had begun was overwritten.
    const overwrittenBefore = Math.max(-Infinity, ...before.map((update) => update.sentAt));
    const seen = this.#updates.filter((update) => update.sentAt < endedAt && update.endedAt >= overwrittenBefore);
    if (seen.some((update) => update.value === undefined || update.value === value)) return true;
    if (before.length > 0) return false;
    if (seen.length === 0) this.#first ??= value;
    return this.#first === undefined || this.#first === value;
  }
}
