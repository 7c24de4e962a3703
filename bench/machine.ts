/** The machine of a measurement: its cores, its folders, and what Linux tells of processes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const bench = import.meta.dirname;

export const folders = {
  bench,
  repository: join(bench, '..'),
  /** What the servers and the load generator are compiled to. */
  compiled: join(bench, 'out'),
  results: join(bench, 'results'),
  /** Data and trial results, which are not committed. */
  reports: join(bench, '../reports/bench'),
} as const;

/** The compiled form of a file below bench/. */
export function compiledFile(source: string): string {
  return join(folders.compiled, source.replace(/\.ts$/, '.js'));
}

/** The cores of a run: one for the servers, another for the load. Without `taskset` or a second core, nothing is pinned. */
export interface Cores {
  readonly server: number | undefined;
  readonly load: number | undefined;
}

export function chooseCores(): Cores {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
  } catch {
    return { server: undefined, load: undefined };
  }
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const [server, load] = list.split(',').flatMap((range) => {
    const [first = NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return load === undefined ? { server: undefined, load } : { server, load };
}

/** Runs a command on a core. It keeps the process id, because taskset replaces itself. */
export function pinned(core: number | undefined, command: readonly string[]): string[] {
  return core === undefined ? [...command] : ['taskset', '--cpu-list', String(core), ...command];
}

/** The machine, the program and the day, in one line. */
export function describeMachine(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const day = new Date().toISOString().slice(0, 10);
  const commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno', 'src') === '' ? '' : '+');
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${day}, commit ${commit}, Node.js ${process.versions.node}, ${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, ${memory} GiB of memory.`;
}

/** The processor time of processes in microseconds, to a hundredth of a second. */
export function processorMicroseconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program before these fields may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10_000;
}

/** The resident memory of processes in MiB, now or at its highest. */
export function memoryMiB(pids: readonly number[], field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const sizes = pids.map(
    (pid) => new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
  );
  return sizes.reduce((sum, size) => sum + Number(size ?? 0), 0) / 1024;
}

/** The value below which a share of the sample lies. @throws {RangeError} if the sample is empty */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [lower, upper] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (lower === undefined || upper === undefined) throw new RangeError('A sample without values has no quantiles.');
  return lower + (upper - lower) * (at - Math.floor(at));
}
