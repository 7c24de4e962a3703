import { runTasks } from './run-tasks.ts';
import type { MutantOptions, MutantResult } from './run-mutant.ts';

/** A mutant for a process to run. */
export interface Task {
  readonly name: string;
  readonly options: MutantOptions;
}

/**
 * Runs mutants by name in processes of their own, and reports each result as soon as it is known. A mutant counts as
 * not caught if it ends the process or exceeds the time limit.
 * @param worker the module of such a process, which calls `serveTasks`
 */
export async function runMutants(
  worker: URL,
  names: readonly string[],
  options: MutantOptions,
  onResult: (result: MutantResult) => void,
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const tasks = names.map((name): Task => ({ name, options }));
  await runTasks<Task, MutantResult>(worker, tasks, ({ name }, outcome) => {
    const result = 'error' in outcome ? { name, problems: [outcome.error], seconds: 0 } : outcome.result;
    results.push(result);
    onResult(result);
  });
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}
