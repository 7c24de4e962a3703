/** Whatever a job does, its process ends within its bounds, and the next one runs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { contained } from '../../src/analysis/bounded-process/containment.ts';
import { type BoundedOutcome, type Bounds, runBounded } from '../../src/analysis/bounded-process/run-bounded.ts';
import { isAlive, processorSeconds, startedJobs, startNode } from '../support/process.ts';
import { until } from '../support/until.ts';

const beside = 'test/support/bounded-jobs/beside.ts';
const bombs = new URL('../support/bounded-jobs/bombs.ts', import.meta.url);
// Generous: on a machine that does much else, a process with a low priority waits.
const enough = { milliseconds: 100_000, processorSeconds: 60, mebibytes: 256 };

const run = (input: string, bounds: Partial<Bounds> = {}, signal?: AbortSignal): Promise<BoundedOutcome<unknown>> =>
  runBounded<unknown>({ module: bombs, input, maxBytes: 3 }, { ...enough, ...bounds }, signal);

const done = { outcome: 'done', output: 'result', bytes: Buffer.from([1, 2, 3]) };

afterEach(async () => {
  // What a job did leaves the next one alone.
  expect(await run('result')).toEqual(done);
});

test.each(['endless loop', 'endless native code', 'endless promise'])('%s: ended when its time is up', async (job) => {
  expect(await run(job, { milliseconds: 2000 })).toEqual({ outcome: 'too-slow' });
});

test.each(['endless loop', 'endless native code'])('%s: ended when its processor time is used up', async (job) => {
  expect(await run(job, { processorSeconds: 1 })).toEqual({ outcome: 'too-slow' });
});

const eaters = ['heap', 'large arrays', 'buffers', 'one buffer', 'one array, and nothing of it said'];

test.each(eaters)('%s: ended when its memory is used up', async (job) => {
  expect(await run(job)).toEqual({ outcome: 'too-much-memory' });
});

test('on Linux, a process stays within its memory though nothing watches it', async () => {
  if (process.platform !== 'linux') return;
  const script = `for (const kept = []; ; kept.push(new Uint8Array(2 ** 24).fill(1)))
    console.log(/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]);`;
  const [file = '', ...args] = await contained([process.execPath, '-e', script], enough);
  const { stdout } = await promisify(execFile)(file, args).catch((error: unknown) => error as { stdout: string });
  const most = Math.max(...stdout.trim().split('\n').map(Number)) / 1024;
  expect(most).toBeGreaterThan(enough.mebibytes / 2);
  // It ended at the next array, which is not filled.
  expect(most).toBeLessThan(enough.mebibytes);
});

test('a job runs below a server that was started with a low priority', async () => {
  if (process.platform === 'win32') return;
  const command = ['-n', '15', process.execPath, '--no-warnings', beside, 'bounded', 'result'];
  const { stdout } = await promisify(execFile)('nice', command);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done', output: 'result' });
});

test.each<[string, BoundedOutcome<unknown>]>([
  ['throw', { outcome: 'failed', message: 'Error: thrown by the job' }],
  ['crash', { outcome: 'failed', message: 'Its process ended with exit code 3.' }],
])('a job that fails with a %s says so', async (job, outcome) => {
  expect(await run(job)).toEqual(outcome);
});

test.each<[NodeJS.Signals, BoundedOutcome<unknown>]>([
  ['SIGSEGV', { outcome: 'failed', message: 'Its process ended with SIGSEGV.' }],
  ['SIGTRAP', { outcome: 'too-much-memory' }],
])('%s ends the process of a job', async (fatal, outcome) => {
  const running = run('endless loop');
  const [pid = 0] = await startedJobs(process.pid);
  process.kill(pid, fatal);
  expect(await running).toEqual(outcome);
});

test.each([
  ['long result', 'an outcome of 36 bytes and 4 more bytes'],
  ['endless zeros', 'an outcome of 0 bytes and 0 more bytes'],
  ['four gibibytes', 'an outcome of 4294967295 bytes and 4294967295 more bytes'],
])('%s: refused from its first bytes, and ended', async (job, sent) => {
  expect(await run(job)).toEqual({ outcome: 'failed', message: `Error: The job sent ${sent}.` });
});

test('a job is ended after its first message, and a long error is cut off', async () => {
  const taken = { outcome: 'done', output: 'taken over', bytes: Buffer.alloc(0) };
  expect(await run('a result, and an endless loop')).toEqual(taken);
  expect(await run('long error')).toEqual({ outcome: 'failed', message: `Error: ${'x'.repeat(993)}` });
});

test('a job sees nothing of the environment', async () => {
  expect(process.env).toHaveProperty('PATH');
  expect(await run('environment')).toMatchObject({ outcome: 'done', output: {} });
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
    const running = run('late result');
    const [pid = 0] = await startedJobs(process.pid);
    process.kill(pid, signal);
    expect(await running).toEqual(done);
  },
);

test('without a file descriptor left, the caller is told that no process can be started', async () => {
  const script = startNode([beside, 'bounded, without a descriptor']);
  expect([await script.ended, script.stdout(), script.stderr()]).toEqual([0, '"EMFILE"', '']);
});

test('a job in an endless loop ends with its parent, however that ends', async () => {
  const parent = startNode([beside, 'bounded', 'endless loop']);
  const [pid = 0] = await startedJobs(parent.child.pid);
  // More than the process takes to begin with the job.
  await until('the job is in its loop', async () => (await processorSeconds(pid)) > 2);
  expect(isAlive(pid)).toBe(true);
  parent.child.kill('SIGKILL');
  await parent.ended;
  await until('the job has ended', () => !isAlive(pid));
});
