import fc, { type Arbitrary } from 'fast-check';
import { type Profiler, Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** A parser that strangers reach, and what must hold for it whatever it is given. */
export interface FuzzTarget {
  /** Inputs that are built like those it expects, with something wrong here and there. */
  readonly inputs: Arbitrary<Uint8Array>;
  /** Of wall time for one input; also what a bounded job may take, its process included. */
  readonly milliseconds: number;
  /** Takes one input. It throws if what must hold does not. The text names what became of it, such as a status. */
  readonly run: (input: Uint8Array) => Promise<string>;
}

/** Makes a target ready, with a server or a folder if it needs one. */
export type OpenTarget = () => Promise<FuzzTarget>;

/** One of the texts between the bars. */
export const oneOf = (texts: string): Arbitrary<string> => fc.constantFrom(...texts.split('|'));

/** What parsers are known to trip over. */
const hostile = [
  ...['\0', '\r', '\n', '\r\n', '\r\n\r\n', '\t', ' ', '"', '\\', '%', '%00', '%2e%2e/', '\u00ff', '\u2028', '\ufeff'],
  ...['{', '}', '[', ']', '<<', '>>', '(', ')', ',', ';', ':', '=', '-', '.', '..', '/', '//', '?', '#', '@', '*'],
  ...['-1', '0', '9007199254740993', '1e999', '4294967296', 'NaN', 'null', 'true', '__proto__', 'constructor', 'eyJ'],
].map((text) => Buffer.from(text));

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** What an edit puts in: nothing, something hostile, some bytes, or a part of a kept input, maybe many times. */
function insertions(corpus: readonly Uint8Array[]): Arbitrary<Uint8Array> {
  const part = fc.tuple(fc.constantFrom(...corpus), place, fc.nat({ max: 80 })).map(([input, share, length]) => {
    const start = Math.floor(share * input.length);
    return input.subarray(start, start + length);
  });
  const repeated = fc
    .tuple(part, fc.integer({ min: 1, max: 200 }))
    .map(([piece, times]) => Buffer.concat(Array.from({ length: times }, () => piece)));
  const nothing = fc.constant(Buffer.alloc(0));
  return fc.oneof(nothing, fc.constantFrom(...hostile), part, repeated, fc.uint8Array({ maxLength: 4 }));
}

/** Kept inputs with a few edits that need not know what they mean: each replaces none, some or all of the bytes behind a place. */
function editedInputs(corpus: readonly Uint8Array[]): Arbitrary<Uint8Array> {
  const replaced = fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.nat({ max: 64 }) },
    { weight: 1, arbitrary: fc.constant(Infinity) },
  );
  const edits = fc.array(fc.tuple(place, replaced, insertions(corpus)), { maxLength: 6 });
  return fc.tuple(fc.constantFrom(...corpus), edits).map(([input, all]) =>
    all.reduce((changed, [share, length, bytes]) => {
      const from = Math.floor(share * (changed.length + 1));
      return Buffer.concat([changed.subarray(0, from), bytes, changed.subarray(from + length)]);
    }, input),
  );
}

type Interval = readonly [from: number, to: number];

/** What is no part of the program: the tests, what they check with, and what makes the inputs. */
const ignored = /\/(test|contract|generated)\/|node_modules\/fast-check\//;

/** Tells what code was reached so far, as V8 counts it: blocks of functions, with no instrumentation of its own. */
async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** For each function that was reached: the parts of it that were not. */
  const unreached = new Map<string, readonly Interval[]>();
  const add = (scriptId: string, { ranges }: Profiler.FunctionCoverage): boolean => {
    const [whole, ...blocks] = ranges;
    if (whole === undefined || whole.count === 0) return false;
    const key = `${scriptId}:${whole.startOffset}-${whole.endOffset}`;
    const before = unreached.get(key);
    if (before?.length === 0) return false;
    const now = blocks
      .filter(({ count }) => count === 0)
      .map((block): Interval => [block.startOffset, block.endOffset]);
    const left = before === undefined ? now : intersectionOf(before, now);
    unreached.set(key, left);
    return before === undefined || lengthOf(left) < lengthOf(before);
  };
  return {
    /** How many functions were reached. */
    functions: () => unreached.size,
    /** Forgets what was reached. */
    clear: () => {
      unreached.clear();
    },
    /** Whether code was reached since the last call that had not been reached before. */
    grew: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const counted = result.filter(({ url }) => url.startsWith('file:') && !ignored.test(url));
      const added = counted.flatMap(({ scriptId, functions }) => functions.map((reached) => add(scriptId, reached)));
      return added.includes(true);
    },
  };
}

function intersectionOf(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  return some
    .flatMap(([from, to]) => others.map((other): Interval => [Math.max(from, other[0]), Math.min(to, other[1])]))
    .filter(([from, to]) => from < to);
}

function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [from, to]) => sum + to - from, 0);
}

const runsOfBatch = 50;
const editedShare = 3;
/** What is larger is still run, but neither edited nor kept. */
const mostKeptBytes = 8192;

/** How far a target has come. */
export interface FuzzProgress {
  executions: number;
  /** Inputs that reached code, or had an outcome, that no smaller one did. */
  corpus: number;
  functions: number;
  slowestMilliseconds: number;
  peakMebibytes: number;
  readonly outcomes: Record<string, number>;
}

/** What a fuzz run has found. */
interface FuzzResult {
  readonly progress: FuzzProgress;
  readonly corpus: readonly Uint8Array[];
  /** The smallest input for which something did not hold, and what. */
  readonly fault: { readonly input: Uint8Array; readonly message: string } | undefined;
}

/**
 * Runs a target on new and on edited inputs until the time is up or something does not hold.
 * @param onInput is told of each input before it runs
 */
export async function fuzz(
  target: FuzzTarget,
  { seconds, seed, kept }: { seconds: number; seed: number; kept: readonly Uint8Array[] },
  onInput: (input: Uint8Array, progress: FuzzProgress) => void,
): Promise<FuzzResult> {
  const corpus: Uint8Array[] = [];
  const counts = { executions: 0, corpus: 0, functions: 0, slowestMilliseconds: 0, peakMebibytes: 0 };
  const progress: FuzzProgress = { ...counts, outcomes: {} };
  let stray: unknown;
  const noteStray = (error: unknown) => (stray = error);
  process.on('unhandledRejection', noteStray).on('uncaughtException', noteStray);
  const coverage = await startCoverage();
  let fault: FuzzResult['fault'];
  for (const input of kept) fault ??= await take(input).catch((error: unknown) => faultOf(input, error));
  const end = performance.now() + seconds * 1000;
  for (let batch = 0; fault === undefined && performance.now() < end; batch += 1) {
    const edited = batch % (editedShare + 1) > 0 && corpus.length > 0;
    const details = await fc.check(fc.asyncProperty(edited ? editedInputs(corpus) : target.inputs, take), {
      seed: seed + batch,
      numRuns: runsOfBatch,
      plugins: [fc.interruptAfterTimeLimit(Math.max(1, end - performance.now()))],
    });
    const [smallest] = (details.counterexample as [Uint8Array] | null) ?? [];
    if (smallest) fault = faultOf(smallest, details.errorInstance);
  }
  if (fault !== undefined) return { progress, corpus, fault };
  const reduced = await reducedCorpus();
  return { progress: { ...progress, corpus: reduced.length }, corpus: reduced, fault };

  async function take(input: Uint8Array): Promise<undefined> {
    onInput(input, progress);
    let { outcome, took } = await timed(input);
    // A loaded machine makes one slow, and not the same one again and again.
    for (let again = 0; again < 2 && took > target.milliseconds; again += 1) ({ outcome, took } = await timed(input));
    progress.executions += 1;
    progress.slowestMilliseconds = Math.max(progress.slowestMilliseconds, took);
    progress.peakMebibytes = Math.max(progress.peakMebibytes, Math.round(process.memoryUsage.rss() / 2 ** 20));
    if (took > target.milliseconds) throw new Error(`it took ${took} ms: ${outcome}`);
    if (stray !== undefined) throw new Error('an error that nobody caught', { cause: stray });
    const times = (progress.outcomes[outcome] = (progress.outcomes[outcome] ?? 0) + 1);
    if (((await coverage.grew()) || times === 1) && input.length <= mostKeptBytes) corpus.push(input);
    progress.functions = coverage.functions();
    progress.corpus = corpus.length;
  }

  async function timed(input: Uint8Array): Promise<{ outcome: string; took: number }> {
    const began = performance.now();
    const outcome = await Promise.race([target.run(input), sleep(target.milliseconds, 'no end', { ref: false })]);
    return { outcome, took: Math.round(performance.now() - began) };
  }

  /** The smallest inputs that reach the same. */
  async function reducedCorpus(): Promise<Uint8Array[]> {
    const outcomes = new Set<string>();
    const reduced: Uint8Array[] = [];
    coverage.clear();
    for (const input of corpus.toSorted((one, other) => one.length - other.length)) {
      const outcome = await target.run(input);
      if ((await coverage.grew()) || !outcomes.has(outcome)) reduced.push(input);
      outcomes.add(outcome);
    }
    return reduced;
  }
}

function faultOf(input: Uint8Array, error: unknown): NonNullable<FuzzResult['fault']> {
  return { input, message: inspect(error) };
}
