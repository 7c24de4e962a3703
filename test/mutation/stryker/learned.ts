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

/** What is known of all of them. */
export interface Learned {
  readonly files: readonly LearnedFile[];
  /** The ids of the tests that reach code in a module while they run, by the address of the module. */
  readonly reaching: Readonly<Record<string, readonly string[]>>;
}

const place = '.stryker-learned.json';

/** A test that takes longer runs only for mutants that no quicker test reaches. */
const slowMilliseconds = 1000;

/** Keeps what was learned; the files that need the fewest modules come first, since they say most about each of these. */
export function saveLearned({ files, reaching }: Learned): void {
  const sorted = files.toSorted((a, b) => a.modules.length - b.modules.length);
  writeFileSync(place, JSON.stringify({ files: sorted, reaching }));
}

/** Gives what was learned. */
export function readLearned(): Learned {
  return JSON.parse(readFileSync(place, 'utf8')) as Learned;
}

/** The ids of the slow tests. */
export function slowTests(files: readonly LearnedFile[]): Set<string> {
  const times = files.flatMap(({ milliseconds }) => Object.entries(milliseconds));
  return new Set(times.filter(([, time]) => time > slowMilliseconds).map(([id]) => id));
}

/**
 * The tests for a static mutant: those that reach other code of its module, or all that need the module if none does. Of
 * these the quick ones, or all if there is no quick one.
 */
export function testsOfModule({ files, reaching }: Learned, module: string): Set<string> {
  const importing = files.filter(({ modules }) => modules.includes(module));
  const all = reaching[module] ?? importing.flatMap(({ milliseconds }) => Object.keys(milliseconds));
  const slow = slowTests(files);
  const quick = all.filter((id) => !slow.has(id));
  return new Set(quick.length > 0 ? quick : all);
}

/** How long each of the wanted tests may take with a mutant, by the milliseconds that they took without one. */
export function timeoutsOf(
  milliseconds: LearnedFile['milliseconds'],
  wanted: ReadonlySet<string>,
): Map<string, number> {
  const times = Object.entries(milliseconds).filter(([id]) => wanted.has(id));
  return new Map(times.map(([id, time]) => [id, 5000 + 3 * time]));
}
