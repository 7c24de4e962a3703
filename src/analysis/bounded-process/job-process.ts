/** The process of a bounded job. */
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BoundedOutcome, Job, Order } from './run-bounded.ts';

/**
 * Ends the process when it has grown too large or its parent is gone. It watches from a thread of its own, because the
 * job may never let the main thread go.
 */
const watchdog = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const tooLarge = process.memoryUsage.rss() > workerData.bytes;
    if (tooLarge || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, 10);
`;

// Ctrl+C reaches the parent too, which decides what becomes of the job.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.once('message', (order: Order) => void obey(order));

async function obey({ job, input, mebibytes }: Order): Promise<void> {
  new Worker(watchdog, {
    eval: true,
    execArgv: [],
    workerData: { bytes: mebibytes * 2 ** 20, parent: process.ppid },
  });
  // Whoever waits for a response of the server goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  let outcome: BoundedOutcome<unknown>;
  try {
    const { default: run } = (await import(job)) as { default: Job<unknown, unknown> };
    outcome = { outcome: 'done', output: await run(input) };
  } catch (error) {
    outcome = { outcome: 'failed', message: String(error) };
  }
  process.send?.(outcome, () => process.exit());
}
