/** What the first run, without a mutant, learned about the tests, kept for the processes that run the mutants. */
import { readFileSync, writeFileSync } from 'node:fs';

/** What is known of a test file. */
export interface LearnedFile {
  readonly file: string;
  /** The addresses of the program's modules that it needs. */
  readonly modules: readonly string[];
  /** The ids of its tests, with the time that each took. */
  readonly milliseconds: Readonly<Record<string, number>>;
}

const place = '.stryker-learned.json';

/** A test that takes longer runs only for mutants that no quicker test reaches. */
const slowMilliseconds = 1000;

/** Keeps what was learned; the files that need the fewest modules come first, since they say most about each of these. */
export function saveLearned(files: readonly LearnedFile[]): void {
  writeFileSync(place, JSON.stringify(files.toSorted((a, b) => a.modules.length - b.modules.length)));
}

/** Gives what was learned. */
export function readLearned(): readonly LearnedFile[] {
  return JSON.parse(readFileSync(place, 'utf8')) as LearnedFile[];
}

/** The ids of the slow tests. */
export function slowTests(files: readonly LearnedFile[]): Set<string> {
  const times = files.flatMap(({ milliseconds }) => Object.entries(milliseconds));
  return new Set(times.filter(([, time]) => time > slowMilliseconds).map(([id]) => id));
}

/** Of the tests that need a module, the quick ones, or all if there is no quick one. */
export function testsOfModule(files: readonly LearnedFile[], module: string): Set<string> {
  const importing = files.filter(({ modules }) => modules.includes(module));
  const slow = slowTests(importing);
  const all = importing.flatMap(({ milliseconds }) => Object.keys(milliseconds));
  const quick = all.filter((id) => !slow.has(id));
  return new Set(quick.length > 0 ? quick : all);
}
