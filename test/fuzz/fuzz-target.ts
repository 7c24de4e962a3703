import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Coverage } from './coverage.ts';
import { editedInputs } from './edits.ts';
import type { FuzzTarget } from './target.ts';

const runsOfBatch = 50;
const editedShare = 3;
/** What is larger is still run, but neither edited nor kept. */
const mostKeptBytes = 8192;

/** How far a target has come. */
export interface FuzzProgress {
  readonly executions: number;
  /** Inputs that reached code, or had an outcome, that no smaller one did. */
  readonly corpus: number;
  readonly functions: number;
  readonly slowestMilliseconds: number;
  readonly peakMebibytes: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

/** What a fuzz run has found. */
export interface FuzzResult extends FuzzProgress {
  readonly corpusInputs: readonly Uint8Array[];
  /** The smallest input for which something did not hold, and what. */
  readonly fault: { readonly input: Uint8Array; readonly message: string } | undefined;
}

/** Runs a target on new and on edited inputs until the time is up or something does not hold. */
export class Fuzzer {
  readonly #target: FuzzTarget;
  readonly #coverage = new Coverage();
  readonly #onInput: (input: Uint8Array, progress: () => FuzzProgress) => void;
  readonly #outcomes: Record<string, number> = {};
  #corpus: Uint8Array[] = [];
  #executions = 0;
  #slowest = 0;
  #peak = 0;
  #stray: unknown;

  /** @param onInput is told of each input before it runs */
  constructor(target: FuzzTarget, onInput: (input: Uint8Array, progress: () => FuzzProgress) => void) {
    this.#target = target;
    this.#onInput = onInput;
  }

  async run(seconds: number, seed: number, kept: readonly Uint8Array[]): Promise<FuzzResult> {
    const stray = (error: unknown) => (this.#stray = error);
    process.on('unhandledRejection', stray).on('uncaughtException', stray);
    await this.#coverage.start();
    let fault: FuzzResult['fault'];
    for (const input of kept) fault ??= await this.#take(input).catch((error: unknown) => faultOf(input, error));
    const end = performance.now() + seconds * 1000;
    for (let batch = 0; fault === undefined && performance.now() < end; batch += 1) {
      const { inputs } = this.#target;
      const edited = batch % (editedShare + 1) > 0 && this.#corpus.length > 0;
      const property = fc.asyncProperty(edited ? editedInputs(this.#corpus) : inputs, (input) => this.#take(input));
      const details = await fc.check(property, {
        seed: seed + batch,
        numRuns: runsOfBatch,
        plugins: [fc.interruptAfterTimeLimit(Math.max(1, end - performance.now()))],
      });
      const [smallest] = (details.counterexample as [Uint8Array] | null) ?? [];
      if (smallest) fault = faultOf(smallest, details.errorInstance);
    }
    const { functions } = this.#coverage;
    if (fault === undefined) await this.#reduceCorpus();
    return { ...this.#progress(), functions, corpusInputs: this.#corpus, fault };
  }

  async #take(input: Uint8Array): Promise<undefined> {
    this.#onInput(input, () => this.#progress());
    const began = performance.now();
    const outcome = await Promise.race([
      this.#target.run(input),
      sleep(this.#target.milliseconds, 'no end', { ref: false }),
    ]);
    const took = performance.now() - began;
    this.#executions += 1;
    this.#slowest = Math.max(this.#slowest, took);
    this.#peak = Math.max(this.#peak, process.memoryUsage.rss() / 2 ** 20);
    if (took > this.#target.milliseconds) throw new Error(`it took ${Math.round(took)} ms: ${outcome}`);
    if (this.#stray !== undefined) throw new Error('an error that nobody caught', { cause: this.#stray });
    const newOutcome = this.#outcomes[outcome] === undefined;
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    if (((await this.#coverage.grew()) || newOutcome) && input.length <= mostKeptBytes) this.#corpus.push(input);
  }

  /** Leaves the smallest inputs that reach the same. */
  async #reduceCorpus(): Promise<void> {
    const inputs = this.#corpus.sort((a, b) => a.length - b.length);
    const outcomes = new Set<string>();
    this.#corpus = [];
    this.#coverage.clear();
    for (const input of inputs) {
      const outcome = await this.#target.run(input);
      if ((await this.#coverage.grew()) || !outcomes.has(outcome)) this.#corpus.push(input);
      outcomes.add(outcome);
    }
  }

  #progress(): FuzzProgress {
    return {
      executions: this.#executions,
      corpus: this.#corpus.length,
      functions: this.#coverage.functions,
      slowestMilliseconds: Math.round(this.#slowest),
      peakMebibytes: Math.round(this.#peak),
      outcomes: this.#outcomes,
    };
  }
}

function faultOf(input: Uint8Array, error: unknown): NonNullable<FuzzResult['fault']> {
  return { input, message: inspect(error) };
}
