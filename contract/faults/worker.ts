/** A process of its own that runs the faults it is told the names of, one after the other. */
import { faultsByKind } from './list/index.js';
import { noFault, runFault } from './run-fault.js';
import type { Task } from './run-faults.js';

const faults = [noFault, ...Object.values(faultsByKind).flat()];

process.on('message', ({ name, everyLayer }: Task) => {
  const fault = faults.find((candidate) => candidate.name === name) ?? noFault;
  runFault(fault, everyLayer).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
