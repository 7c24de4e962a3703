/** A process of its own that runs the faults it is told the names of, one after the other. */
import { faultsByKind } from './list/index.ts';
import { noFault, runFault } from './run-mutant.ts';
import type { Task } from './run-mutants.ts';

const faults = [noFault, ...Object.values(faultsByKind).flat()];

process.on('message', ({ name, everyLayer }: Task) => {
  const fault = faults.find((candidate) => candidate.name === name) ?? noFault;
  runFault(fault, everyLayer).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
