/**
 * A test runner for Stryker that keeps the program's modules loaded from mutant to mutant. Only a static mutant, one in
 * code that runs while its module loads, needs a new process, which Stryker starts for it.
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
import { registerHooks, enableCompileCache } from 'node:module';
import { suites } from '../../jest/suites.ts';
import type { Logger } from '@stryker-mutator/api/logging';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { provideGlobals } from '../../jest/provide-globals.ts';
import { activate, countHits, coverageWithout, deactivate, testsByFile } from './shared-state.ts';

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

/** Data about a test file from the first run, without a mutant, for the processes that run the mutants. */
interface LearnedFile {
  readonly file: string;
  /** The URLs of the program's modules that it imports, directly or indirectly. */
  readonly modules: readonly string[];
  /** The duration of each test, by id. */
  readonly milliseconds: Readonly<Record<string, number>>;
}

/** Data about all test files. */
interface Learned {
  readonly files: readonly LearnedFile[];
  /** The ids of the tests that execute code of a module while they run, by the URL of the module. */
  readonly reaching: Readonly<Record<string, readonly string[]>>;
}

const place = '.stryker-learned.json';

/** A test that takes longer runs only for mutants that no faster test covers. */
const slowMilliseconds = 1000;

/** Saves the data. Files that import the fewest modules come first, because they test these modules most closely. */
function saveLearned({ files, reaching }: Learned): void {
  const sorted = files.toSorted((a, b) => a.modules.length - b.modules.length);
  writeFileSync(place, JSON.stringify({ files: sorted, reaching }));
}

function readLearned(): Learned {
  return JSON.parse(readFileSync(place, 'utf8')) as Learned;
}

/** The ids of the slow tests. */
function slowTests(files: readonly LearnedFile[]): Set<string> {
  const times = files.flatMap(({ milliseconds }) => Object.entries(milliseconds));
  return new Set(times.filter(([, time]) => time > slowMilliseconds).map(([id]) => id));
}

/**
 * The tests for a static mutant: those that cover other code of its module, or all that import the module if there are
 * none. Slow tests are omitted if there are others.
 */
function testsOfModule({ files, reaching }: Learned, module: string): Set<string> {
  const importing = files.filter(({ modules }) => modules.includes(module));
  const all = reaching[module] ?? importing.flatMap(({ milliseconds }) => Object.keys(milliseconds));
  const slow = slowTests(files);
  const quick = all.filter((id) => !slow.has(id));
  return new Set(quick.length > 0 ? quick : all);
}

/** The timeout of each wanted test with a mutant, derived from its duration without one. */
function timeoutsOf(milliseconds: LearnedFile['milliseconds'], wanted: ReadonlySet<string>): Map<string, number> {
  const times = Object.entries(milliseconds).filter(([id]) => wanted.has(id));
  return new Map(times.map(([id, time]) => [id, 5000 + 3 * time]));
}

/** The URLs of the modules that each module imports. */
const imported = new Map<string, Set<string>>();

/** Records the imports of modules from now on. */
function watchImports(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const { parentURL: parent } = context;
      if (parent !== undefined && !parent.includes('/node_modules/')) {
        const known = imported.get(parent) ?? new Set();
        imported.set(parent, known.add(resolved.url));
      }
      return resolved;
    },
  });
}

/** The URLs of all modules that a module imports, directly or indirectly, including its own. */
function reachedFrom(url: string): Set<string> {
  const reached = new Set([url]);
  for (const module of reached) for (const next of imported.get(module) ?? []) reached.add(next);
  return reached;
}

/** Test files that `npm test` runs and a mutation run does not, with the reason. */
const leftOut: readonly RegExp[] = [
  // They wait for seconds, and other tests cover the same code.
  /^test\/resilience\/postgres-lost/,
  // It type-checks the client, and mutated sources are not typed.
  /^test\/client\/other-document\/types/,
  // They test code that is not part of the package.
  /^test\/unit\/(bench\/|compose|workflow)/,
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
      const loaded = await this.#load(file);
      const first = await runTestFile(loaded);
      // A file that cannot run again would fail for each mutant but the first, whatever that changes.
      const failures = (await runTestFile(loaded)).filter(({ failure }) => failure !== undefined);
      const outcomes = first.map((outcome) => failures.find(({ id }) => id === outcome.id) ?? outcome);
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
