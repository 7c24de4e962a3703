/** A process that runs a job, and prints its outcome. */
import { runBounded } from '../../../src/analysis/bounded-process/run-bounded.ts';

const job = { module: new URL('./bombs.ts', import.meta.url), input: process.argv[2] ?? 'endless loop', mostBytes: 3 };
console.log(JSON.stringify(await runBounded(job, { milliseconds: 200_000, processorSeconds: 200, mebibytes: 256 })));
