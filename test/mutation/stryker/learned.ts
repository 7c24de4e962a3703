/** Data about the tests from the first run, without a mutant, for the processes that run the mutants. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Data about a test file. */
export interface LearnedFile {
  readonly file: string;
  /** The URLs of the program's modules that it imports, directly or indirectly. */
  readonly modules: readonly string[];
  /** The duration of each test, by id. */
  readonly milliseconds: Readonly<Record<string, number>>;
}

/** Data about all test files. */
export interface Learned {
  readonly files: readonly LearnedFile[];
  /** The ids of the tests that execute code of a module while they run, by the URL of the module. */
  readonly reaching: Readonly<Record<string, readonly string[]>>;
}

const place = '.stryker-learned.json';

/** A test that takes longer runs only for mutants that no faster test covers. */
const slowMilliseconds = 1000;

/** Saves the data. Files that import the fewest modules come first, because they test these modules most closely. */
export function saveLearned({ files, reaching }: Learned): void {
  const sorted = files.toSorted((a, b) => a.modules.length - b.modules.length);
  writeFileSync(place, JSON.stringify({ files: sorted, reaching }));
}

export function readLearned(): Learned {
  return JSON.parse(readFileSync(place, 'utf8')) as Learned;
}

/** The ids of the slow tests. */
export function slowTests(files: readonly LearnedFile[]): Set<string> {
  const times = files.flatMap(({ milliseconds }) => Object.entries(milliseconds));
  return new Set(times.filter(([, time]) => time > slowMilliseconds).map(([id]) => id));
}

/**
 * The tests for a static mutant: those that cover other code of its module, or all that import the module if there are
 * none. Slow tests are omitted if there are others.
 */
export function testsOfModule({ files, reaching }: Learned, module: string): Set<string> {
  const importing = files.filter(({ modules }) => modules.includes(module));
  const all = reaching[module] ?? importing.flatMap(({ milliseconds }) => Object.keys(milliseconds));
  const slow = slowTests(files);
  const quick = all.filter((id) => !slow.has(id));
  return new Set(quick.length > 0 ? quick : all);
}

/** The timeout of each wanted test with a mutant, derived from its duration without one. */
export function timeoutsOf(
  milliseconds: LearnedFile['milliseconds'],
  wanted: ReadonlySet<string>,
): Map<string, number> {
  const times = Object.entries(milliseconds).filter(([id]) => wanted.has(id));
  return new Map(times.map(([id, time]) => [id, 5000 + 3 * time]));
}
