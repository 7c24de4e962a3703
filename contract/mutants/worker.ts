/** A process of its own that runs the mutants it is told the names of, one after the other. */
import { mutantsByKind } from './list/index.ts';
import { noMutant, runMutant } from './run-mutant.ts';
import type { Task } from './run-mutants.ts';

const mutants = [noMutant, ...Object.values(mutantsByKind).flat()];

process.on('message', ({ name, everyLayer }: Task) => {
  const mutant = mutants.find((candidate) => candidate.name === name) ?? noMutant;
  runMutant(mutant, everyLayer).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
