/** The process of a bounded job. */
import { constants, setPriority } from 'node:os';
import { InputFile } from './input-file.ts';
import type { BoundedOutcome, Job, Order } from './run-bounded.ts';
import { withhold } from './withhold.ts';

/** The descriptor after standard input, output and error, and the channel to the parent. */
const inputDescriptor = 4;

// A signal that stops the whole service reaches the parent too, and the parent decides what becomes of the job.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', (order: Order) => void obey(order));

async function obey({ job, input }: Order): Promise<void> {
  // Requests to the server take precedence.
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
