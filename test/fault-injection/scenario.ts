import type { figuresOf } from './traffic.ts';

/** A fault that a run injects, and the guarantees that must hold. */
export interface Scenario {
  readonly name: string;
  readonly fault: string;
  readonly holds: string;
  /** The reason why this machine cannot run it; undefined if it can. */
  readonly missing?: () => string | undefined;
  readonly run: (context: ScenarioContext) => Promise<ScenarioResult>;
}

export interface ScenarioContext {
  /** An empty folder of the scenario's own. */
  readonly folder: string;
  /** How often the program is killed, or for how many seconds hostile clients stay. */
  readonly rounds: number;
  /** A number from 0 to below 1. */
  readonly random: () => number;
  /** Reports progress. */
  readonly progress: (text: string) => void;
}

interface Figures extends ReturnType<typeof figuresOf> {
  /** The number of injected faults. */
  readonly faults: number;
  /** From the end of the fault to the next update that got 200; the longest of all faults. */
  readonly recoverySeconds: number;
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
