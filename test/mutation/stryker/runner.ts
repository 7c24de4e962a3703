/**
 * A test runner for Stryker that keeps the program's modules loaded from mutant to mutant. So a static mutant, one in code
 * that runs while its module loads, is ignored (`ignoreStatic`).
 */
import {
  type TestResult,
  TestStatus,
  determineHitLimitReached,
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestRunner,
} from '@stryker-mutator/api/test-runner';
import { type Outcome, addressOf, loadTestFile, runTestFile, type TestFile } from './test-file.ts';
import { readFileSync, writeFileSync, globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { suites } from '../../jest/suites.ts';
import type { Logger } from '@stryker-mutator/api/logging';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { provideGlobals } from '../../jest/provide-globals.ts';
import { activate, countHits, coverageWithout, deactivate } from './shared-state.ts';

/** The results of a file's tests; the duration of the first includes loading and hooks. */
function testResults(file: string, outcomes: readonly Outcome[], milliseconds: number): TestResult[] {
  const rest = outcomes.reduce((left, outcome) => left - outcome.milliseconds, milliseconds);
  return outcomes.map(({ id, milliseconds: own, failure }, index) => {
    const result = { id, name: id, fileName: file, timeSpentMs: own + (index === 0 ? Math.max(rest, 0) : 0) };
    return failure === undefined
      ? { ...result, status: TestStatus.Success }
      : { ...result, status: TestStatus.Failed, failureMessage: failure };
  });
}

/** What the first run, without a mutant, tells the processes that run the mutants about a test file. */
interface LearnedFile {
  readonly file: string;
  /** The duration of each test, by id. */
  readonly milliseconds: Readonly<Record<string, number>>;
}

const place = '.stryker-learned.json';

/** A test that takes longer runs only for mutants that no faster test covers. */
const slowMilliseconds = 1000;

/** Saves the data. The quickest files come first. */
function saveLearned(files: readonly LearnedFile[]): void {
  const timeOf = ({ milliseconds }: LearnedFile) => Object.values(milliseconds).reduce((sum, time) => sum + time, 0);
  writeFileSync(place, JSON.stringify(files.toSorted((a, b) => timeOf(a) - timeOf(b))));
}

/** The ids of the slow tests. */
function slowTests(files: readonly LearnedFile[]): Set<string> {
  const times = files.flatMap(({ milliseconds }) => Object.entries(milliseconds));
  return new Set(times.filter(([, time]) => time > slowMilliseconds).map(([id]) => id));
}

/** The timeout of each wanted test with a mutant, derived from its duration without one. */
function timeoutsOf(milliseconds: LearnedFile['milliseconds'], wanted: ReadonlySet<string>): Map<string, number> {
  const times = Object.entries(milliseconds).filter(([id]) => wanted.has(id));
  return new Map(times.map(([id, time]) => [id, 5000 + 3 * time]));
}

/** Test files that `npm test` runs and a mutation run does not, with the reason. */
const leftOut: readonly RegExp[] = [
  // They wait for seconds, and other tests cover the same code.
  /^test\/resilience\/(locked|validator-cache|postgres-lost)/,
  // It type-checks the client, and mutated sources are not typed.
  /^test\/client\/other-document\/types/,
  // They test code that is not part of the package.
  /^test\/unit\/(bench|fault-injection|soak)\//,
  /^test\/unit\/(compose|image-context|workflow)/,
];

/** The test files of a mutation run, relative to the folder that it runs in. */
function mutationTestFiles(): string[] {
  return suites.main
    .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`))
    .filter((file) => !leftOut.some((pattern) => pattern.test(file)))
    .sort();
}

const now = performance.now.bind(performance);

/** Modules that only child processes load; in this process they would start to work. */
const processEntries = /\/bounded-process\/(job-process|watchdog)\b/;

class SharedProcessRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.logger);
  readonly #logger: Logger;
  readonly #loaded = new Map<string, TestFile>();
  #learned: readonly LearnedFile[] | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  init() {
    enableCompileCache();
    provideGlobals();
    return Promise.resolve();
  }

  async dryRun({ files: mutatedFiles = [] }: DryRunOptions): Promise<DryRunResult> {
    const files = mutationTestFiles();
    const loadingTimes = new Map<string, number>();
    for (const file of files) {
      const startedAt = now();
      await this.#load(file);
      loadingTimes.set(file, now() - startedAt);
    }
    // Otherwise a module that a test loads while it runs would count as covered by this test only.
    for (const file of mutatedFiles.filter((name) => !processEntries.test(name))) await import(addressOf(file));
    const tests: TestResult[] = [];
    const learned: LearnedFile[] = [];
    for (const file of files) {
      const startedAt = now();
      const outcomes = await runTestFile(await this.#load(file));
      tests.push(...testResults(file, outcomes, now() - startedAt + (loadingTimes.get(file) ?? 0)));
      const milliseconds = Object.fromEntries(outcomes.map((outcome) => [outcome.id, outcome.milliseconds]));
      this.#logger.debug('%s took %s ms', file, Math.round(now() - startedAt));
      learned.push({ file, milliseconds });
    }
    saveLearned(learned);
    return { status: DryRunStatus.Complete, tests, mutantCoverage: coverageWithout(slowTests(learned)) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, testFilter } = options;
    this.#learned ??= JSON.parse(readFileSync(place, 'utf8')) as LearnedFile[];
    const wanted = new Set(testFilter);
    const hits = countHits(hitLimit);
    let nrOfTests = 0;
    try {
      for (const { file, milliseconds } of this.#learned) {
        const timeouts = timeoutsOf(milliseconds, wanted);
        if (timeouts.size === 0) continue;
        const loaded = await this.#load(file);
        activate(activeMutant.id);
        const outcomes = await runTestFile(loaded, timeouts);
        deactivate();
        nrOfTests += outcomes.length;
        if (determineHitLimitReached(hits(), hitLimit)) return { status: MutantRunStatus.Timeout };
        for (const { id, failure } of outcomes)
          if (failure !== undefined)
            return { status: MutantRunStatus.Killed, killedBy: [id], failureMessage: failure, nrOfTests };
      }
    } finally {
      deactivate();
    }
    return { status: MutantRunStatus.Survived, nrOfTests };
  }

  async #load(file: string): Promise<TestFile> {
    const loaded = this.#loaded.get(file) ?? (await loadTestFile(file));
    this.#loaded.set(file, loaded);
    return loaded;
  }
}

/** The plugin named in stryker.config.js. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'shared-process', SharedProcessRunner)];
