/**
 * A test runner for Stryker that keeps the program's modules loaded from mutant to mutant. Only a static mutant, one in
 * code that runs while its module loads, needs a new process, which Stryker starts for it.
 */
import { enableCompileCache } from 'node:module';
import type { Logger } from '@stryker-mutator/api/logging';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner';
import { provideGlobals } from '../../jest/provide-globals.ts';
import { mutationTestFiles } from '../test-files.ts';
import {
  type Learned,
  type LearnedFile,
  readLearned,
  saveLearned,
  slowTests,
  testsOfModule,
  timeoutsOf,
} from './learned.ts';
import { reachedFrom, watchImports } from './module-graph.ts';
import { activate, countHits, coverageWithout, deactivate, testsByFile } from './shared-state.ts';
import { addressOf, loadTestFile, runTestFile, type TestFile } from './test-file.ts';
import { testResults } from './test-results.ts';

const now = performance.now.bind(performance);

/** Modules that only child processes load; in this process they would start to work. */
const processEntries = /\/bounded-process\/(job-process|watchdog)\b/;

/** Whether a URL is that of a module that may be mutated. */
const isMutable = (url: string) =>
  ['client', 'contract', 'src'].some((folder) => url.startsWith(`${addressOf(folder)}/`));

class SharedProcessRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.logger);
  readonly #logger: Logger;
  readonly #loaded = new Map<string, TestFile>();
  #learned: Learned | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  init() {
    enableCompileCache();
    provideGlobals();
    watchImports();
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
      const modules = [...reachedFrom(addressOf(file))].filter(isMutable);
      const milliseconds = Object.fromEntries(outcomes.map((outcome) => [outcome.id, outcome.milliseconds]));
      this.#logger.debug('%s took %s ms', file, Math.round(now() - startedAt));
      learned.push({ file, modules, milliseconds });
    }
    const reaching = Object.fromEntries([...testsByFile(mutatedFiles)].map(([file, ids]) => [addressOf(file), ids]));
    saveLearned({ files: learned, reaching });
    return { status: DryRunStatus.Complete, tests, mutantCoverage: coverageWithout(slowTests(learned)) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, mutantActivation, sandboxFileName, testFilter } = options;
    const isStatic = mutantActivation === 'static';
    this.#learned ??= readLearned();
    const wanted = testFilter ? new Set(testFilter) : testsOfModule(this.#learned, addressOf(sandboxFileName));
    const hits = countHits(hitLimit);
    let nrOfTests = 0;
    try {
      for (const { file, milliseconds } of this.#learned.files) {
        const timeouts = timeoutsOf(milliseconds, wanted);
        const [first] = timeouts.keys();
        if (first === undefined) continue;
        if (isStatic) activate(activeMutant.id);
        const loaded = await this.#load(file).catch((error: unknown) => String(error));
        activate(activeMutant.id);
        const outcomes =
          typeof loaded === 'string'
            ? [{ id: first, milliseconds: 0, failure: loaded }]
            : await runTestFile(loaded, timeouts);
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
