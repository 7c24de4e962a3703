/** Which cores the server and the load are held to, so that neither takes the other's time. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The cores of a run; undefined means that a process may run on any. */
export interface Cores {
  readonly server: number | undefined;
  readonly load: number | undefined;
  /** Why nothing is pinned, for people. */
  readonly unpinned: string | undefined;
}

/** Chooses one core for the server and another one for the load, if this machine can hold a process to one. */
export function chooseCores(): Cores {
  const unpinned = (why: string): Cores => ({ server: undefined, load: undefined, unpinned: why });
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
  } catch {
    return unpinned('taskset is not installed, so processes are not pinned to cores');
  }
  const [server, load] = allowedCores();
  if (load === undefined) return unpinned('this process may use one core only, so the load competes with the server');
  return { server, load, unpinned: undefined };
}

/** A command that runs another one on a core, or on some. It keeps the process id: taskset replaces itself. */
export function pinned(cores: number | readonly number[] | undefined, command: readonly string[]): string[] {
  return cores === undefined ? [...command] : ['taskset', '--cpu-list', String(cores), ...command];
}

/** Has this process run on these cores from now on. */
export function holdTo(cores: readonly number[]): void {
  const process = ['--all-tasks', '--cpu-list', '--pid', String(cores), String(globalThis.process.pid)];
  execFileSync('taskset', process, { stdio: 'ignore' });
}

/** The cores that this process may use, from a list such as `0-1,4`. */
function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
