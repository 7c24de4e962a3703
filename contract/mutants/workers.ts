/** Mutants run in processes of their own, several at once; a process that ends or hangs is replaced. */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { messageOf } from '../cli/run-command.ts';
import { conditional } from './conditional.ts';
import { plainServers } from './list/index.ts';
import type { StartTarget } from './mutant.ts';
import { type MutantResult, noMutant, runMutant } from './run-mutant.ts';

/** The mutant or harmless variant of this name, which may say a condition; the server without a mutation if there is none. */
export function serverNamed(name: string): typeof noMutant {
  return plainServers.get(name) ?? conditional(name) ?? noMutant;
}

interface Task {
  readonly name: string;
  /** The checks to run, by default all. */
  readonly only: readonly string[] | undefined;
}

/** Runs the mutants that the parent process names, one after the other. */
export function serveTasks(startTarget: StartTarget): void {
  process.on('message', ({ name, only }: Task) => {
    void runMutant(serverNamed(name), startTarget, only)
      .catch((error: unknown) => failed(name, messageOf(error)))
      .then((result) => process.send?.(result));
  });
}

const failed = (name: string, problem: string): MutantResult => ({ name, problems: [problem], seconds: 0 });

/**
 * Runs mutants by name, and reports each result as soon as it is known. A mutant counts as not caught if it ends the process or
 * exceeds the time limit.
 * @param worker the module of such a process, which calls `serveTasks`
 */
export async function runMutants(
  worker: URL,
  names: readonly string[],
  only: Task['only'],
  onResult: (result: MutantResult) => void,
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const waiting = [...names];
  const runWaiting = async () => {
    let running = startWorker(worker);
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const result = await runIn(running, { name, only });
      if (!running.connected) running = startWorker(worker);
      results.push(result);
      onResult(result);
    }
    running.kill();
  };
  await Promise.all(Array.from({ length: Math.min(processes, names.length) }, runWaiting));
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

/** More would slow one another down until checks of time fail. */
const processes = Math.min(4, availableParallelism());
const deadlineSeconds = 240;

function startWorker(module: URL): ChildProcess {
  const worker = fork(module, { execArgv: ['--no-warnings'] });
  process.once('exit', () => worker.kill());
  return worker;
}

async function runIn(worker: ChildProcess, task: Task): Promise<MutantResult> {
  const timer = setTimeout(() => worker.kill('SIGKILL'), deadlineSeconds * 1000);
  const result = await new Promise<MutantResult>((resolve) => {
    worker.once('message', resolve);
    worker.once('exit', () => {
      resolve(failed(task.name, 'the process of the suite exited, or exceeded the time limit'));
    });
    worker.send(task);
  });
  clearTimeout(timer);
  worker.removeAllListeners('message').removeAllListeners('exit');
  return result;
}
