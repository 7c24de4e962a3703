import { type Profiler, Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import type { TestResult } from '@jest/test-result';

type Coverage = NonNullable<TestResult['v8Coverage']>;

/** Has V8 count what is executed in this process, and tells what was since it was asked last, in the form that Jest reads. */
export class CoverageCounter {
  readonly #session = new Session();
  readonly #files: ReadonlySet<string>;
  readonly #told = new Set<string>();

  /** @param files the addresses of the modules that count */
  private constructor(files: readonly string[]) {
    this.#files = new Set(files);
    this.#session.connect();
  }

  static async start(files: readonly string[]): Promise<CoverageCounter> {
    const counter = new CoverageCounter(files);
    await counter.#session.post('Profiler.enable');
    await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return counter;
  }

  async take(): Promise<Coverage> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => this.#files.has(url))
      .map((script) => ({ codeTransformResult: undefined, result: this.#news(script) }));
  }

  /** Functions that were not called have to be told once, so that they are not taken for a part of what stands around them. */
  #news({ url, scriptId, functions }: Profiler.ScriptCoverage): Profiler.ScriptCoverage {
    const known = this.#told.has(url);
    this.#told.add(url);
    const called = known ? functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0)) : functions;
    return { url: fileURLToPath(url), scriptId, functions: called };
  }
}
