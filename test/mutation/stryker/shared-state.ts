import { readFileSync } from 'node:fs';
import {
  INSTRUMENTER_CONSTANTS as names,
  type InstrumenterContext,
  type MutantCoverage,
} from '@stryker-mutator/api/core';

type State = { [name in keyof InstrumenterContext]?: InstrumenterContext[name] | undefined };

const shared = globalThis as unknown as Record<string, State>;

/** The state that Stryker's runner shares with the mutated code: the active mutant, and the coverage of mutants. */
export const mutated: State = (shared[names.NAMESPACE] ??= {});

/** Activates a mutant here and in the processes that tests start from now on. */
export function activate(mutantId: string): void {
  mutated.activeMutant = mutantId;
  process.env[names.ACTIVE_MUTANT_ENV_VARIABLE] = mutantId;
}

/** Deactivates all mutants. */
export function deactivate(): void {
  mutated.activeMutant = undefined;
  Reflect.deleteProperty(process.env, names.ACTIVE_MUTANT_ENV_VARIABLE);
}

/** Counts executions of the active mutant from now on; the mutated code throws if they exceed the limit. */
export function countHits(limit: number | undefined): () => number | undefined {
  mutated.hitCount = limit === undefined ? undefined : 0;
  mutated.hitLimit = limit;
  return () => mutated.hitCount;
}

/** The mutants that each test covers. Omits these tests for mutants that other tests cover too. */
export function coverageWithout(tests: ReadonlySet<string>): MutantCoverage {
  const { static: loading = {}, perTest = {} } = mutated.mutantCoverage ?? {};
  const others = Object.keys(perTest).filter((test) => !tests.has(test));
  const covered = new Set(others.flatMap((test) => Object.keys(perTest[test] ?? {})));
  for (const test of tests)
    perTest[test] = Object.fromEntries(Object.entries(perTest[test] ?? {}).filter(([mutant]) => !covered.has(mutant)));
  return { static: loading, perTest };
}

/** The tests that cover each of these files while they run; files without such a test are omitted. */
export function testsByFile(files: readonly string[]): Map<string, string[]> {
  const fileOf = new Map<string, string>();
  for (const file of files)
    for (const [, mutant = ''] of readFileSync(file, 'utf8').matchAll(/stryMutAct_\w+\("(\d+)"\)/g))
      fileOf.set(mutant, file);
  const tests = new Map<string, string[]>();
  for (const [test, mutants] of Object.entries(mutated.mutantCoverage?.perTest ?? {}))
    for (const file of new Set(Object.keys(mutants).flatMap((mutant) => fileOf.get(mutant) ?? [])))
      tests.set(file, [...(tests.get(file) ?? []), test]);
  return tests;
}

/** Moves coverage recorded under one name, such as that of a hook, to each of these tests. */
export function moveCoverage(from: string, tests: readonly string[]): void {
  const perTest = mutated.mutantCoverage?.perTest ?? {};
  const moved = Object.entries(perTest[from] ?? {});
  Reflect.deleteProperty(perTest, from);
  for (const test of tests) {
    const counts = (perTest[test] ??= {});
    for (const [mutant, count] of moved) counts[mutant] = (counts[mutant] ?? 0) + count;
  }
}
