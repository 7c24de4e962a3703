import { readFileSync } from 'node:fs';

/** The sum of the peak memory of these processes, in MiB. */
export function peakMemoryMiB(pids: readonly number[]): number {
  const peaks = pids.map((pid) => /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return peaks.reduce((sum, peak) => sum + Number(peak ?? 0), 0) / 1024;
}
