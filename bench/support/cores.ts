/** Pins the server and the load generator to different cores, so that they do not compete. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The cores of a run; undefined if a process may run on any. */
export interface Cores {
  readonly server: number | undefined;
  readonly load: number | undefined;
  /** Why nothing is pinned, for people. */
  readonly unpinned: string | undefined;
}

/** Chooses one core for the server and another for the load generator, if this machine can pin processes. */
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

/** Runs a command on one core or on several. It keeps the process id, because taskset replaces itself. */
export function pinned(cores: number | readonly number[] | undefined, command: readonly string[]): string[] {
  return cores === undefined ? [...command] : ['taskset', '--cpu-list', String(cores), ...command];
}

/** Pins this process to these cores from now on. */
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
