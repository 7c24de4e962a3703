/** Which code an input has reached, as V8 counts it: blocks of functions, with no instrumentation of its own. */
import { type Profiler, Session } from 'node:inspector/promises';

type Interval = readonly [from: number, to: number];

/** What is no part of the program: the tests, what they check with, and what makes the inputs. */
const ignored = /\/(test|contract|generated)\/|node_modules\/fast-check\//;

/** The code that was reached so far. */
export class Coverage {
  readonly #session = new Session();
  /** For each function that was reached: the parts of it that were not. */
  #unreached = new Map<string, readonly Interval[]>();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** How many functions were reached. */
  get functions(): number {
    return this.#unreached.size;
  }

  /** Forgets what was reached. */
  clear(): void {
    this.#unreached = new Map();
  }

  /** Whether code was reached since the last call that had not been reached before. */
  async grew(): Promise<boolean> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    let grew = false;
    for (const { url, scriptId, functions } of result)
      if (url.startsWith('file:') && !ignored.test(url))
        for (const reached of functions) grew = this.#add(scriptId, reached) || grew;
    return grew;
  }

  #add(scriptId: string, { ranges }: Profiler.FunctionCoverage): boolean {
    const [whole, ...blocks] = ranges;
    if (whole === undefined || whole.count === 0) return false;
    const key = `${scriptId}:${whole.startOffset}-${whole.endOffset}`;
    const before = this.#unreached.get(key);
    if (before?.length === 0) return false;
    const now = blocks
      .filter(({ count }) => count === 0)
      .map((block): Interval => [block.startOffset, block.endOffset]);
    const left = before === undefined ? now : intersectionOf(before, now);
    this.#unreached.set(key, left);
    return before === undefined || lengthOf(left) < lengthOf(before);
  }
}

function intersectionOf(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  return some
    .flatMap(([from, to]) => others.map((other): Interval => [Math.max(from, other[0]), Math.min(to, other[1])]))
    .filter(([from, to]) => from < to);
}

function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [from, to]) => sum + to - from, 0);
}
