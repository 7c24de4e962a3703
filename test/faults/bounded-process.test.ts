/** Whatever a job does, its process ends within its bounds, and the next one runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BoundedOutcome, type Bounds, runBounded } from '../../src/bounded-process/run-bounded.js';
import { startScript, withDataDir } from '../support/process.js';

const jobs = new URL('../support/bounded-jobs/bombs.js', import.meta.url);
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
