/** What a run does to the program, what must hold meanwhile and afterwards, and what was measured. */
export interface Scenario {
  readonly name: string;
  /** What is broken. */
  readonly fault: string;
  /** What must hold. */
  readonly holds: string;
  /** Why it cannot be run here; undefined if it can. */
  readonly missing?: () => string | undefined;
  readonly run: (context: ScenarioContext) => Promise<ScenarioResult>;
}

export interface ScenarioContext {
  /** An empty folder of the scenario's own. */
  readonly folder: string;
  /** How often the program is killed. */
  readonly rounds: number;
  /** A number from 0 to below 1. */
  readonly random: () => number;
  /** Tells how far it is. */
  readonly progress: (text: string) => void;
}

export interface Figures {
  /** How often the fault was made. */
  readonly faults: number;
  /** Updates that got 200: each must be in the audit log. */
  readonly updates: number;
  /** Reads that got 200. */
  readonly reads: number;
  /** Responses that refuse, each as the document declares it: 503, or 429 where limits are met. */
  readonly refused: number;
  readonly withoutResponse: number;
  readonly longestResponseSeconds: number;
  /** From the end of the fault to the next update that got 200; the longest of all faults. */
  readonly recoverySeconds: number;
  /** What only this scenario counts. */
  readonly more?: Readonly<Record<string, number>>;
}

/** The figures of a scenario that could not be carried through. */
export const nothingMeasured: Figures = {
  faults: 0,
  updates: 0,
  reads: 0,
  refused: 0,
  withoutResponse: 0,
  longestResponseSeconds: 0,
  recoverySeconds: 0,
};

export interface ScenarioResult {
  readonly figures: Figures;
  /** What did not hold; empty if all did. */
  readonly problems: readonly string[];
}

/** Random numbers that a seed repeats (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
