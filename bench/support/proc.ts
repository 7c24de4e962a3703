/** Linux's figures on a process and its descendants. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc: 100 on every Linux that Node.js runs on. */
const ticksPerSecond = 100;

/** The memory of processes, in MiB. */
export interface Memory {
  /** Resident pages; those shared with other processes count fully in each. */
  readonly rssMiB: number;
  /** Resident pages; shared ones are divided among the processes. */
  readonly pssMiB: number;
}

/** A process and its descendants. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name)) {
      const parent = Number(statOf(Number(name))?.[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    }
  const below = (id: number): number[] => [id, ...(children.get(id) ?? []).flatMap(below)];
  return below(pid);
}

/** The processor time of processes, in seconds. One that has ended counts as zero. */
export function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = statOf(pid);
    return stat ? Number(stat[11]) + Number(stat[12]) : 0;
  });
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}

/** The current memory of all processes. */
export function memoryOf(pids: readonly number[]): Memory {
  const rollups = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const sum = (field: string) =>
    rollups.reduce(
      (total, text) => total + Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0),
      0,
    ) / 1024;
  return { rssMiB: sum('Rss'), pssMiB: sum('Pss') };
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
