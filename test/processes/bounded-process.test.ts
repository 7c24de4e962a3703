/** Whatever a job does, its process ends within its bounds, and the next one runs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { type BoundedOutcome, type Bounds, runBounded } from '../../src/analysis/bounded-process/run-bounded.ts';
import { startScript, withDataDir } from '../support/process.ts';

const jobs = new URL('../support/bounded-jobs/bombs.ts', import.meta.url);
const enough = { milliseconds: 30_000, mebibytes: 256 };

const run = (job: string, bounds: Partial<Bounds> = {}, signal?: AbortSignal): Promise<BoundedOutcome<unknown>> =>
  runBounded<unknown>(jobs, job, { ...enough, ...bounds }, signal);

afterEach(async () => {
  // What a job did leaves the next one alone.
  expect(await run('answer')).toEqual({ outcome: 'done', output: new Uint8Array([1, 2, 3]) });
});

test.each(['endless loop', 'endless native code', 'endless promise'])('%s: ended when its time is up', async (job) => {
  expect(await run(job, { milliseconds: 2000 })).toEqual({ outcome: 'too-slow' });
});

test.each(['heap', 'large arrays', 'buffers'])('%s: ended when its memory is used up', async (job) => {
  expect(await run(job)).toEqual({ outcome: 'too-much-memory' });
});

test('what a job throws, and a crash of its process, are told', async () => {
  expect(await run('throw')).toEqual({ outcome: 'failed', message: 'Error: thrown by the job' });
  expect(await run('crash')).toEqual({ outcome: 'failed', message: 'Its process ended with SIGSEGV.' });
});

test('a job sees nothing of the environment', async () => {
  expect(process.env).toHaveProperty('PATH');
  expect(await run('environment')).toEqual({ outcome: 'done', output: {} });
});

test('an aborted job is ended, and the reason thrown', async () => {
  const reason = new Error('no longer wanted');
  await expect(run('endless loop', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const running = run('endless loop', {}, controller.signal);
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a job is done, though %s to the whole process group ends its process before that can ignore it',
  async (signal) => {
    const running = run('answer');
    let first: number | undefined;
    while (first === undefined) [first] = await jobProcesses();
    process.kill(first, signal);
    expect(await running).toEqual({ outcome: 'done', output: new Uint8Array([1, 2, 3]) });
  },
);

test('without a file descriptor left, the caller is told that no process can be started', async () => {
  const script = startScript('test/support/bounded-jobs/without-descriptors.ts', []);
  expect([await script.ended, script.stdout(), script.stderr()]).toEqual([0, 'EMFILE\n', '']);
});

test('a job ends with its parent, however that ends', () =>
  withDataDir(async (folder) => {
    const pidFile = join(folder, 'pid');
    const parent = startScript('test/support/bounded-jobs/parent.ts', [pidFile]);
    let pid = 0;
    while (pid === 0) {
      await sleep(10);
      pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    }
    expect(isAlive(pid)).toBe(true);
    parent.child.kill('SIGKILL');
    await parent.ended;
    while (isAlive(pid)) await sleep(10);
  }));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The processes of jobs that this one has started and that have not ended. */
async function jobProcesses(): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parts = [readFile(`/proc/${name}/stat`, 'utf8'), readFile(`/proc/${name}/cmdline`, 'utf8')];
    const [stat = '', commandLine = ''] = await Promise.all(parts).catch(() => []);
    const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
    if (parent === process.pid && commandLine.includes('job-process')) pids.push(Number(name));
  }
  return pids;
}
