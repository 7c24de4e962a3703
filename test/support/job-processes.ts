import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The processes of bounded jobs that a process has started and that have not ended. */
export async function jobProcesses(starter: number | undefined): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parts = [readFile(`/proc/${name}/stat`, 'utf8'), readFile(`/proc/${name}/cmdline`, 'utf8')];
    const [stat = '', commandLine = ''] = await Promise.all(parts).catch(() => []);
    const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
    if (parent === starter && commandLine.includes('job-process')) pids.push(Number(name));
  }
  return pids;
}

/** Waits until a process has started so many bounded jobs. */
export async function startedJobs(starter: number | undefined, count = 1): Promise<number[]> {
  for (;;) {
    const pids = await jobProcesses(starter);
    if (pids.length >= count) return pids;
    await sleep(5);
  }
}

/** Whether a process has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
