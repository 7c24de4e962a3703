import { readdir, readFile } from 'node:fs/promises';
import { until } from './until.ts';

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
  let pids: number[] = [];
  await until(
    () => `process ${starter} has started ${count} bounded jobs, and ${pids.length} run`,
    async () => (pids = await jobProcesses(starter)).length >= count,
    5,
  );
  return pids;
}

const ticksOfSecond = 100;

/** How much of a processor a process has taken. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number) as [number, number];
  return (user + system) / ticksOfSecond;
}

/** Whether a process has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
