import type { MutantOptions, MutantResult } from './run-mutant.ts';
import { type ChildProcess, fork } from 'node:child_process';

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

const processes = 2;
const deadlineSeconds = 240;

/** The outcome of a task. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: string };

/**
 * Distributes tasks to a few processes, one at a time each, and reports each outcome as soon as it is known. A process
 * that ends or does not respond in time is replaced.
 * @param module the module of such a process: it receives tasks as messages, and sends back the outcome of each
 */
export async function runTasks<Task extends object, Result>(
  module: URL,
  tasks: readonly Task[],
  onOutcome: (task: Task, outcome: Outcome<Result>) => void,
): Promise<void> {
  const waiting = [...tasks];
  await Promise.all(
    Array.from({ length: Math.min(processes, tasks.length) }, async () => {
      let running = startWorker(module);
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        const outcome = await runIn<Result>(running, task);
        if (!running.connected) running = startWorker(module);
        onOutcome(task, outcome);
      }
      running.kill();
    }),
  );
}

function startWorker(module: URL): ChildProcess {
  const worker = fork(module, { execArgv: ['--no-warnings'] });
  process.once('exit', () => worker.kill());
  return worker;
}

async function runIn<Result>(worker: ChildProcess, task: object): Promise<Outcome<Result>> {
  const ended = new AbortController();
  try {
    return await new Promise<Outcome<Result>>((resolve) => {
      const timer = setTimeout(() => worker.kill('SIGKILL'), deadlineSeconds * 1000);
      ended.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        worker.removeAllListeners('message').removeAllListeners('exit');
      });
      worker.once('message', (message: Outcome<Result>) => {
        resolve(message);
      });
      worker.once('exit', () => {
        resolve({ error: 'the process of the suite exited, or exceeded the time limit' });
      });
      worker.send(task);
    });
  } finally {
    ended.abort();
  }
}
