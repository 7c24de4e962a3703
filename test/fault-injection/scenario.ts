/** A fault that a run injects, the guarantees that must hold, and the measurements. */
export interface Scenario {
  readonly name: string;
  /** The injected fault. */
  readonly fault: string;
  /** The guarantee that must hold. */
  readonly holds: string;
  /** The reason why this machine cannot run it; undefined if it can. */
  readonly missing?: () => string | undefined;
  readonly run: (context: ScenarioContext) => Promise<ScenarioResult>;
}

export interface ScenarioContext {
  /** An empty folder of the scenario's own. */
  readonly folder: string;
  /** The number of times that the program is killed. */
  readonly rounds: number;
  /** A number from 0 to below 1. */
  readonly random: () => number;
  /** Reports progress. */
  readonly progress: (text: string) => void;
}

export interface Figures {
  /** The number of injected faults. */
  readonly faults: number;
  /** Updates that got 200: each must be in the audit log. */
  readonly updates: number;
  /** Reads that got 200. */
  readonly reads: number;
  /** Documented refusals, with 503. */
  readonly refused: number;
  readonly withoutResponse: number;
  readonly longestResponseSeconds: number;
  /** From the end of the fault to the next update that got 200; the longest of all faults. */
  readonly recoverySeconds: number;
  /** Additional figures of this scenario. */
  readonly more?: Readonly<Record<string, number>>;
}

export interface ScenarioResult {
  readonly figures: Figures;
  /** The violated guarantees; empty if there are none. */
  readonly problems: readonly string[];
}

/** What came of a scenario, or why this machine cannot run it. */
export interface Outcome extends Pick<Scenario, 'name' | 'fault' | 'holds'>, Partial<ScenarioResult> {
  readonly missing?: string;
  readonly seconds?: number;
}
