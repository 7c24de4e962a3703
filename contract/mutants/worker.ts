import { conditionalMutant } from './conditional.ts';
import { harmlessVariants } from './harmless/index.ts';
import { mutantsByKind } from './list/index.ts';
import type { StartTarget, Variant } from './mutant.ts';
import { noMutant, runMutant } from './run-mutant.ts';
import type { Task } from './run-mutants.ts';

const servers = [noMutant, ...Object.values(mutantsByKind).flat(), ...harmlessVariants];

/** The mutant or harmless variant of this name; the server without a mutation if there is none. */
export function serverNamed(name: string): Variant {
  return servers.find((server) => server.name === name) ?? conditionalMutant(name) ?? noMutant;
}

/** Runs the mutants that the parent process names, one after the other. */
export function serveTasks(startTarget: StartTarget): void {
  process.on('message', ({ name, options }: Task) => {
    runMutant(serverNamed(name), startTarget, options).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
