import { type ChildProcess, fork } from 'node:child_process';
import type { MutantOptions, MutantResult } from './run-mutant.ts';

const processes = 2;
const deadlineSeconds = 240;

/** What a process is told to run. */
export interface Task {
  readonly name: string;
  readonly options: MutantOptions;
}

type Message = { readonly result: MutantResult } | { readonly error: string };

/**
 * Runs mutants by their names in processes of their own, and tells each result as it is known.
 * @param worker the module of such a process, which calls `serveTasks`
 */
export async function runMutants(
  worker: URL,
  names: readonly string[],
  options: MutantOptions,
  onResult: (result: MutantResult) => void,
): Promise<MutantResult[]> {
  const waiting = [...names];
  const results: MutantResult[] = [];
  await Promise.all(
    Array.from({ length: Math.min(processes, names.length) }, async () => {
      let running = startWorker(worker);
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const result = await runIn(running, { name, options });
        if (!running.connected) running = startWorker(worker);
        results.push(result);
        onResult(result);
      }
      running.kill();
    }),
  );
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

function startWorker(module: URL): ChildProcess {
  const worker = fork(module, { execArgv: ['--no-warnings'] });
  process.once('exit', () => worker.kill('SIGKILL'));
  return worker;
}

/** A mutant that ends the process, or that the run does not end with, is caught by nothing. */
async function runIn(worker: ChildProcess, task: Task): Promise<MutantResult> {
  const ended = new AbortController();
  try {
    return await new Promise<MutantResult>((resolve) => {
      const fail = (problem: string) => {
        resolve({ name: task.name, problems: [problem], seconds: 0 });
      };
      const timer = setTimeout(() => worker.kill('SIGKILL'), deadlineSeconds * 1000);
      ended.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        worker.removeAllListeners('message').removeAllListeners('exit');
      });
      worker.once('message', (message: Message) => {
        if ('error' in message) fail(message.error);
        else resolve(message.result);
      });
      worker.once('exit', () => {
        fail('the process of the suite has ended, or has not ended in time');
      });
      worker.send(task);
    });
  } finally {
    ended.abort();
  }
}
