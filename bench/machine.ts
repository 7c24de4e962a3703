/** The machine of a measurement: its cores, its folders, and what Linux tells of processes. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const bench = import.meta.dirname;

export const folders = {
  bench,
  repository: join(bench, '..'),
  /** What the servers and the load generator are compiled to. */
  compiled: join(bench, 'out'),
  /** The results that are committed. */
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

/** A process and its descendants. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = Number(statOf(Number(name))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (id: number): number[] => [id, ...(children.get(id) ?? []).flatMap(below)];
  return below(pid);
}

/** The processor time of processes in microseconds, to a hundredth of a second. One that has ended counts as zero. */
export function processorMicroseconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = statOf(pid);
    return stat ? Number(stat[11]) + Number(stat[12]) : 0;
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

/** The fields of /proc/<pid>/stat after the name of the program, which may contain spaces. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** The value below which a share of the sample lies. @throws {RangeError} if the sample is empty */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [lower, upper] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (lower === undefined || upper === undefined) throw new RangeError('A sample without values has no quantiles.');
  return lower + (upper - lower) * (at - Math.floor(at));
}
