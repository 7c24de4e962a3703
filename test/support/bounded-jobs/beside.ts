/** A process of its own beside the tests of bounded jobs. It prints what comes of the job that its arguments name. */
import { openSync } from 'node:fs';
import { runBounded } from '../../../src/analysis/bounded-process/run-bounded.ts';

const bounds = { milliseconds: 200_000, processorSeconds: 200, mebibytes: 256 };
const bounded = (input: string) =>
  runBounded({ module: new URL('./bombs.ts', import.meta.url), input, maxBytes: 3 }, bounds);

const ways: Record<string, (...args: string[]) => Promise<unknown>> = {
  bounded,
  'bounded, without a descriptor': () => {
    try {
      for (;;) openSync('/dev/null', 'r');
    } catch {
      return bounded('result').catch((error: unknown) => (error as NodeJS.ErrnoException).code);
    }
  },
  // Without Node's permission model, as compiled code would run it that has taken it over.
  unbounded: async (job, targets, acts = 'null') => {
    const { default: run } = (await import(job)) as {
      default: (...input: unknown[]) => Promise<{ output: unknown }>;
    };
    return (await run(JSON.parse(targets), JSON.parse(acts))).output;
  },
};

const [way = '', ...args] = process.argv.slice(2);
const outcome = await ways[way]?.(...args);
process.stdout.write(JSON.stringify(outcome), () => process.exit());
