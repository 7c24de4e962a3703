/** A process that runs a job without end, which writes its process id to a file. */
import { runBounded } from '../../../src/analysis/bounded-process/run-bounded.ts';

const bounds = { milliseconds: 60_000, mebibytes: 256 };
await runBounded(new URL('./never-ends.ts', import.meta.url), process.argv[2], bounds);
