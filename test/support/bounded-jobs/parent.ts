/** A process that runs a job without end. */
import { runBounded } from '../../../src/analysis/bounded-process/run-bounded.ts';

const job = { module: new URL('./bombs.ts', import.meta.url), input: 'endless loop' };
await runBounded(job, { milliseconds: 200_000, processorSeconds: 200, mebibytes: 256 });
