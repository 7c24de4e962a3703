import { harmlessVariants } from './harmless/index.ts';
import { mutantsByKind } from './list/index.ts';
import type { StartTarget } from './mutant.ts';
import { noMutant, runMutant } from './run-mutant.ts';
import type { Task } from './run-mutants.ts';

/** Lets this process run the mutants that its parent names, one after the other. */
export function serveTasks(startTarget: StartTarget): void {
  const mutants = [noMutant, ...Object.values(mutantsByKind).flat(), ...harmlessVariants];
  process.on('message', ({ name, options }: Task) => {
    const mutant = mutants.find((candidate) => candidate.name === name) ?? noMutant;
    runMutant(mutant, startTarget, options).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
