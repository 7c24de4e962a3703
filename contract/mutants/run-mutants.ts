import { runTasks } from './run-tasks.ts';
import type { MutantOptions, MutantResult } from './run-mutant.ts';

/** What a process is to run. */
export interface Task {
  readonly name: string;
  readonly options: MutantOptions;
}

/**
 * Runs mutants by their names in processes of their own, and reports each result as it is known. A mutant that ends the
 * process, or that the run does not end with, is caught by nothing.
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
