/** The process of a bounded job. */
import { constants, setPriority } from 'node:os';
import { InputFile } from './input-file.ts';
import type { BoundedOutcome, Job, Order } from './run-bounded.ts';
import { withhold } from './withhold.ts';

/** What follows standard input, output and error, and the channel to the parent. */
const inputDescriptor = 4;

// Who stops the whole service reaches the parent too, which decides what becomes of the job.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', (order: Order) => void obey(order));

async function obey({ job, input }: Order): Promise<void> {
  // Whoever waits for a response of the server goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  withhold();
  let outcome: BoundedOutcome<unknown>;
  try {
    const { default: run } = (await import(job)) as { default: Job<unknown, unknown> };
    outcome = { outcome: 'done', output: await run(input, new InputFile(inputDescriptor)) };
  } catch (error) {
    outcome = { outcome: 'failed', message: String(error) };
  }
  process.send?.(outcome, () => process.exit());
}
