/** Starts a job when no file descriptor is left, and prints what that gives. */
import { closeSync, openSync } from 'node:fs';
import { runBounded } from '../../../src/analysis/bounded-process/run-bounded.ts';

const descriptors: number[] = [];
try {
  for (;;) descriptors.push(openSync('/dev/null', 'r'));
} catch {
  // That was the last one.
}
const job = { module: new URL('./bombs.ts', import.meta.url), input: 'result' };
const bounds = { milliseconds: 30_000, processorSeconds: 30, mebibytes: 256 };
const outcome = await runBounded(job, bounds).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
for (const descriptor of descriptors) closeSync(descriptor);
console.log(outcome);
